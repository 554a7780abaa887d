#include "gen/space/expression.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace phasebit::space {

// One evaluation: the failure is kept aside, so that the values stay plain integers.
struct Expression::Evaluation {
  const Expression& expression;
  const Values& values;
  const char* failure = nullptr;

  std::int64_t fail_with(const char* what) {
    failure = what;
    return 0;
  }

  std::int64_t arithmetic(Op op, std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    bool overflows = false;
    switch (op) {
      case Op::add: overflows = __builtin_add_overflow(a, b, &result); break;
      case Op::subtract: overflows = __builtin_sub_overflow(a, b, &result); break;
      case Op::multiply: overflows = __builtin_mul_overflow(a, b, &result); break;
      case Op::divide:
      case Op::remainder:
        if (b == 0) return fail_with("divides by zero");
        if (b == -1) return op == Op::divide ? arithmetic(Op::subtract, 0, a) : 0;
        return op == Op::divide ? a / b : a % b;
      case Op::equal: return a == b ? 1 : 0;
      case Op::unequal: return a != b ? 1 : 0;
      case Op::less: return a < b ? 1 : 0;
      case Op::less_equal: return a <= b ? 1 : 0;
      case Op::literal:
      case Op::name:
      case Op::in:
      case Op::negate:
      case Op::logical_not:
      case Op::logical_and:
      case Op::logical_or:
      case Op::choose: bug("no operation of two integers");
    }
    return overflows ? fail_with("overflows") : result;
  }

  std::int64_t run(int index) {
    const Node& node = expression.nodes_[static_cast<size_t>(index)];
    const auto& members = expression.members_;
    switch (node.op) {
      case Op::literal: return node.number;
      case Op::name: return values[static_cast<size_t>(node.number)];
      case Op::in:
        return std::count(members.begin() + node.b, members.begin() + node.c, run(node.a)) > 0;
      case Op::negate: return arithmetic(Op::subtract, 0, run(node.a));
      case Op::logical_not: return run(node.a) == 0 ? 1 : 0;
      case Op::logical_and: return run(node.a) != 0 && run(node.b) != 0 ? 1 : 0;
      case Op::logical_or: return run(node.a) != 0 || run(node.b) != 0 ? 1 : 0;
      case Op::choose: return run(node.a) != 0 ? run(node.b) : run(node.c);
      case Op::add:
      case Op::subtract:
      case Op::multiply:
      case Op::divide:
      case Op::remainder:
      case Op::equal:
      case Op::unequal:
      case Op::less:
      case Op::less_equal: break;
    }
    const std::int64_t a = run(node.a);
    return arithmetic(node.op, a, run(node.b));
  }
};

Result<std::int64_t> Expression::number(const Values& values) const {
  Evaluation evaluation{*this, values};
  const std::int64_t result = evaluation.run(static_cast<int>(nodes_.size()) - 1);
  if (evaluation.failure != nullptr) return fail(Step::spec, "'{}' {}", text_, evaluation.failure);
  return result;
}

Result<bool> Expression::holds(const Values& values) const {
  return number(values).map([](std::int64_t result) { return result != 0; });
}

std::vector<int> Expression::slots() const {
  std::vector<int> all;
  for (const Node& node : nodes_)
    if (node.op == Op::name) all.push_back(static_cast<int>(node.number));
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

// Recursive descent, one function a level of precedence, tight levels below. Each returns the node
// it made with what is needed to check the next level.
class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, const Vocabulary& vocabulary, std::vector<Token> tokens)
      : vocabulary_(vocabulary), tokens_(std::move(tokens)) {
    out_.text_ = text;
  }

  Result<Expression> parse(ValueKind wanted) {
    PHASEBIT_TRY_ASSIGN(root, choice());
    if (token().kind != Token::Kind::end) return unexpected("an operator or the end");
    PHASEBIT_TRY(check(root, wanted));
    return std::move(out_);
  }

 private:
  using Op = Expression::Op;
  struct Operand {
    int node = 0;
    ValueKind kind = ValueKind::number;
    int column = 1;
    int slot = -1;     // of a lone name
    std::string word;  // of a word literal; it has no id of its own
    bool is_word_literal = false;
  };
  struct Operator {
    std::string_view symbol;
    Op op;
  };

  const Token& token() const { return tokens_[at_]; }
  bool accept(std::string_view symbol) {
    if (token().kind != Token::Kind::symbol || token().text != symbol) return false;
    ++at_;
    return true;
  }
  tl::unexpected<Error> unexpected(std::string_view wanted) const {
    if (token().kind == Token::Kind::end)
      return fail(Step::spec, "column {}: ends where {} is due", token().column, wanted);
    return fail(Step::spec, "column {}: '{}' where {} is due", token().column, token().text,
                wanted);
  }
  static Status check(const Operand& operand, ValueKind wanted) {
    if (operand.kind == wanted) return {};
    return fail(Step::spec, "column {}: {} where {} is due", operand.column,
                to_string(operand.kind), to_string(wanted));
  }
  Operand add(Expression::Node node, ValueKind kind, int column) {
    out_.nodes_.push_back(node);
    Operand operand;
    operand.node = static_cast<int>(out_.nodes_.size()) - 1;
    operand.kind = kind;
    operand.column = column;
    return operand;
  }
  Operand join(Op op, const Operand& a, const Operand& b, ValueKind kind) {
    return add({op, a.node, b.node, 0, 0}, kind, a.column);
  }

  Result<Operand> choice() {
    PHASEBIT_TRY_ASSIGN(then, disjunction());
    if (!accept("if")) return then;
    PHASEBIT_TRY_ASSIGN(condition, disjunction());
    PHASEBIT_TRY(check(condition, ValueKind::truth));
    if (!accept("else")) return unexpected("'else'");
    PHASEBIT_TRY_ASSIGN(otherwise, choice());
    PHASEBIT_TRY(check(then, ValueKind::number));
    PHASEBIT_TRY(check(otherwise, ValueKind::number));
    return add({Op::choose, condition.node, then.node, otherwise.node, 0}, then.kind, then.column);
  }

  Result<Operand> disjunction() {
    return series<1>({{{"or", Op::logical_or}}}, &ExpressionParser::conjunction, ValueKind::truth);
  }
  Result<Operand> conjunction() {
    return series<1>({{{"and", Op::logical_and}}}, &ExpressionParser::negation, ValueKind::truth);
  }

  Result<Operand> negation() {
    const int column = token().column;
    if (!accept("not")) return comparison();
    PHASEBIT_TRY_ASSIGN(operand, negation());
    PHASEBIT_TRY(check(operand, ValueKind::truth));
    return add({Op::logical_not, operand.node, 0, 0, 0}, ValueKind::truth, column);
  }

  Result<Operand> comparison() {
    PHASEBIT_TRY_ASSIGN(left, sum());
    if (accept("in")) return membership(left, false);
    if (accept("not")) {
      if (!accept("in")) return unexpected("'in'");
      return membership(left, true);
    }
    if (accept("==")) return comparison_with(Op::equal, left, false);
    if (accept("!=")) return comparison_with(Op::unequal, left, false);
    if (accept("<")) return comparison_with(Op::less, left, false);
    if (accept("<=")) return comparison_with(Op::less_equal, left, false);
    if (accept(">")) return comparison_with(Op::less, left, true);
    if (accept(">=")) return comparison_with(Op::less_equal, left, true);
    return left;
  }

  Result<Operand> comparison_with(Op op, const Operand& left, bool swapped) {
    PHASEBIT_TRY_ASSIGN(right, sum());
    if (op != Op::equal && op != Op::unequal) {
      PHASEBIT_TRY(check(left, ValueKind::number));
      PHASEBIT_TRY(check(right, ValueKind::number));
    }
    PHASEBIT_TRY(same_kind(left, right));
    PHASEBIT_TRY(meet(left, right));
    PHASEBIT_TRY(meet(right, left));
    Operand result =
        swapped ? join(op, right, left, ValueKind::truth) : join(op, left, right, ValueKind::truth);
    result.column = left.column;
    return result;
  }

  // `left` in { a, b, ... }
  Result<Operand> membership(const Operand& left, bool negated) {
    const int begin = static_cast<int>(out_.members_.size());
    if (!accept("{")) return unexpected("'{'");
    do {
      PHASEBIT_TRY_ASSIGN(member, literal());
      PHASEBIT_TRY(same_kind(left, member));
      PHASEBIT_TRY(meet(left, member));
      out_.members_.push_back(out_.nodes_[static_cast<size_t>(member.node)].number);
      out_.nodes_.pop_back();
    } while (accept(","));
    if (!accept("}")) return unexpected("',' or '}'");
    const int end = static_cast<int>(out_.members_.size());
    Operand in = add({Op::in, left.node, begin, end, 0}, ValueKind::truth, left.column);
    if (!negated) return in;
    return add({Op::logical_not, in.node, 0, 0, 0}, ValueKind::truth, left.column);
  }

  Result<Operand> sum() {
    return series<2>({{{"+", Op::add}, {"-", Op::subtract}}}, &ExpressionParser::product,
                     ValueKind::number);
  }
  Result<Operand> product() {
    return series<3>({{{"*", Op::multiply}, {"/", Op::divide}, {"%", Op::remainder}}},
                     &ExpressionParser::sign, ValueKind::number);
  }

  // operand (operator operand)*, all of one kind.
  template <size_t N>
  Result<Operand> series(const std::array<Operator, N>& operators,
                         Result<Operand> (ExpressionParser::*next)(), ValueKind kind) {
    PHASEBIT_TRY_ASSIGN(left, (this->*next)());
    for (size_t i = 0; i < N;) {
      if (!accept(operators[i].symbol)) {
        ++i;
        continue;
      }
      PHASEBIT_TRY_ASSIGN(right, (this->*next)());
      PHASEBIT_TRY(check(left, kind));
      PHASEBIT_TRY(check(right, kind));
      left = join(operators[i].op, left, right, kind);
      i = 0;
    }
    return left;
  }

  Result<Operand> sign() {
    const int column = token().column;
    if (!accept("-")) return primary();
    PHASEBIT_TRY_ASSIGN(operand, sign());
    PHASEBIT_TRY(check(operand, ValueKind::number));
    return add({Op::negate, operand.node, 0, 0, 0}, ValueKind::number, column);
  }

  Result<Operand> primary() {
    if (accept("(")) {
      PHASEBIT_TRY_ASSIGN(inner, choice());
      if (!accept(")")) return unexpected("')'");
      return inner;
    }
    if (token().kind != Token::Kind::name) return literal();
    if (const Vocabulary::Set* set = vocabulary_.set(token().text)) return member_of(*set);
    const int slot = vocabulary_.slot(token().text);
    if (slot < 0) {
      const Error error = vocabulary_.no_axis(token().text, vocabulary_.names());
      return with_hint(fail(Step::spec, "column {}: {}", token().column, error.message),
                       error.hint);
    }
    Operand name = add({Op::name, 0, 0, 0, slot}, vocabulary_.name(slot).kind, token().column);
    name.slot = slot;
    ++at_;
    return name;
  }

  // A set's name stands for `slot in {its words}`.
  Operand member_of(const Vocabulary::Set& set) {
    const int column = token().column;
    ++at_;
    const int begin = static_cast<int>(out_.members_.size());
    out_.members_.insert(out_.members_.end(), set.words.begin(), set.words.end());
    const int end = static_cast<int>(out_.members_.size());
    const Operand name = add({Op::name, 0, 0, 0, set.slot}, ValueKind::word, column);
    return add({Op::in, name.node, begin, end, 0}, ValueKind::truth, column);
  }

  Result<Operand> literal() {
    const Token& at = token();
    if (at.kind == Token::Kind::word) {
      Operand word =
          add({Op::literal, 0, 0, 0, vocabulary_.word_id(at.text)}, ValueKind::word, at.column);
      word.word = at.text;
      word.is_word_literal = true;
      ++at_;
      return word;
    }
    if (at.kind != Token::Kind::number) return unexpected("a name, number or quoted word");
    std::int64_t number = 0;
    const char* end = at.text.data() + at.text.size();
    if (std::from_chars(at.text.data(), end, number).ec != std::errc{})
      return fail(Step::spec, "column {}: {} is too large", at.column, at.text);
    ++at_;
    return add({Op::literal, 0, 0, 0, number}, ValueKind::number, tokens_[at_ - 1].column);
  }

  static Status same_kind(const Operand& a, const Operand& b) {
    if (a.kind == b.kind) return {};
    return fail(Step::spec, "column {}: {} where {} is due", b.column, to_string(b.kind),
                to_string(a.kind));
  }

  // A word literal must be a value of the name next to it ('' is: the axis has no meaning).
  Status meet(const Operand& name, const Operand& literal) const {
    if (!literal.is_word_literal || literal.word.empty()) return {};
    if (name.slot < 0)
      return fail(Step::spec, "column {}: '{}' is not compared with an axis", literal.column,
                  literal.word);
    const Vocabulary::Name& known = vocabulary_.name(name.slot);
    for (const std::string& word : known.words)
      if (word == literal.word) return {};
    return with_hint(
        fail(Step::spec, "column {}: {} is never '{}'", literal.column, known.text, literal.word),
        base::nearest_word_hint(literal.word, known.words));
  }

  const Vocabulary& vocabulary_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
  Expression out_;
};

Result<Expression> Expression::compile(std::string_view text, const Vocabulary& vocabulary,
                                       ValueKind wanted) {
  PHASEBIT_TRY_ASSIGN(tokens, tokenize(text));
  // The parser and the evaluation recurse; no rule comes near.
  constexpr size_t most = 1000;
  if (tokens.size() > most)
    return fail(Step::spec, "column {}: more than {} names, numbers and signs", tokens[most].column,
                most);
  return ExpressionParser(text, vocabulary, std::move(tokens)).parse(wanted);
}

namespace {

constexpr std::array<std::string_view, 6> keywords = {"and", "or", "not", "in", "if", "else"};
// Longer ones first.
constexpr std::array<std::string_view, 17> symbols = {
    "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "(", ")", "{", "}", ",", ""};

// Own tests of ASCII, so that no locale changes what a spec means.
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

size_t span_of(std::string_view text, bool (*belongs)(char)) {
  return static_cast<size_t>(std::find_if_not(text.begin(), text.end(), belongs) - text.begin());
}

// The token at the beginning of `rest`, and in `length` how much of it that is.
Result<Token> next_token(std::string_view rest, int column, size_t& length) {
  const char first = rest.front();
  if (is_digit(first)) {
    length = span_of(rest, is_digit);
    return Token{Token::Kind::number, std::string(rest.substr(0, length)), column};
  }
  if (is_letter(first)) {
    length = span_of(rest, [](char c) { return is_letter(c) || is_digit(c); });
    const std::string name(rest.substr(0, length));
    const bool keyword = std::find(keywords.begin(), keywords.end(), name) != keywords.end();
    return Token{keyword ? Token::Kind::symbol : Token::Kind::name, name, column};
  }
  if (first == '\'' || first == '"') {
    const size_t end = rest.find(first, 1);
    if (end == std::string_view::npos)
      return fail(Step::spec, "column {}: a word without its closing quote", column);
    length = end + 1;
    return Token{Token::Kind::word, std::string(rest.substr(1, end - 1)), column};
  }
  const auto symbol = *std::find_if(symbols.begin(), symbols.end(), [&](std::string_view known) {
    return rest.substr(0, known.size()) == known;
  });
  length = symbol.size();
  if (symbol.empty()) return fail(Step::spec, "column {}: '{}' has no meaning", column, first);
  return Token{Token::Kind::symbol, std::string(symbol), column};
}

}  // namespace

Result<std::vector<Token>> tokenize(std::string_view text) {
  std::vector<Token> tokens;
  size_t at = 0;
  const auto column = [&] { return static_cast<int>(at) + 1; };
  while (true) {
    at += span_of(text.substr(at), is_space);
    if (at == text.size()) break;
    size_t length = 0;
    PHASEBIT_TRY_ASSIGN(token, next_token(text.substr(at), column(), length));
    tokens.push_back(token);
    at += length;
  }
  tokens.push_back({Token::Kind::end, {}, column()});
  return tokens;
}

}  // namespace phasebit::space
