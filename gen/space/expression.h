// The expressions of axes, rules, needs, gates and blocks:
//
//   wait == 'try_wait' and num_stages % 2 == 0
//   protocol in {'mbarrier', 'cta_barrier'}       protocol not in {...}
//   payload_bytes / 512 if mover == 'st_shared' else 0
//
// From loose to tight: if-else (of numbers), or, and, not, one of == != < <= > >= in (they do not
// chain), + -,
// * / % (towards zero), unary -. Names are those of the vocabulary; literals are whole numbers and
// words in single or double quotes. A word that a name can never be is an error, so a typo in a
// rule is found when it is read. Compiled once to a flat tree, evaluated without allocation.
#pragma once

#include "core/base/error.h"
#include "gen/space/vocabulary.h"

#include <string>
#include <string_view>
#include <vector>

namespace phasebit::space {

class Expression {
 public:
  // Step::spec; the message begins with "column N: ", the hint holds the nearest word.
  static Result<Expression> compile(std::string_view text, const Vocabulary& vocabulary,
                                    ValueKind wanted);

  // Of a compiled expression of kind truth or number. Step::spec on a division by zero or an
  // overflow.
  Result<bool> holds(const Values& values) const;
  Result<std::int64_t> number(const Values& values) const;

  const std::string& text() const { return text_; }
  // The slots of the names in it, ascending, each once.
  std::vector<int> slots() const;

 private:
  friend class ExpressionParser;
  enum class Op {
    literal,
    name,
    in,
    negate,
    add,
    subtract,
    multiply,
    divide,
    remainder,
    equal,
    unequal,
    less,
    less_equal,
    logical_not,
    logical_and,
    logical_or,
    choose
  };
  struct Node {
    Op op = Op::literal;
    int a = 0, b = 0, c = 0;  // operands; `in` takes members_[b, c); `choose` is a ? b : c
    std::int64_t number = 0;  // of a literal; the slot of a name
  };
  struct Evaluation;

  std::string text_;
  std::vector<Node> nodes_;  // operands before their operation; the last is the root
  std::vector<std::int64_t> members_;
};

// The tokens of an expression.

struct Token {
  enum class Kind { number, word, name, symbol, end };
  Kind kind = Kind::end;
  std::string text;  // of a word without its quotes; and, or, not, in, if, else are symbols
  int column = 1;
};

// Ends with a token of kind end. Step::spec: "column 7: ...".
Result<std::vector<Token>> tokenize(std::string_view text);

}  // namespace phasebit::space
