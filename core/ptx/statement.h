// One PTX statement taken apart, as far as it takes to remove and simplify statements. It does not
// check PTX: ptxas does.
#pragma once

#include "core/isa/opcodes.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::ptx {

struct PtxStatement {
  enum class Part { brace, label, directive, instruction, none };  // none: a lone semicolon
  Part part = Part::instruction;
  std::string guard;                  // "@!done", or ""
  std::string name;                   // of a label; an opcode with its modifiers; ".reg .b32"
  std::vector<std::string> operands;  // as written: "[p_barrier+32]", "{word0, word1}"
  bool semicolon = true;              // of a directive: `.maxntid 128` before a body lacks it
  // "" after the last: what ptxas would refuse is read too.
  const std::string& operand(std::size_t index) const {
    static const std::string none;
    return index < operands.size() ? operands[index] : none;
  }
};

// `line` is one statement, label, directive or brace. A directive's name is its words that begin
// with a dot; its operands are the rest. What comes after a label is its one operand.
PtxStatement take_apart(std::string_view line);
std::string put_together(const PtxStatement& statement);

// Each of a kernel's, without comments.
std::vector<PtxStatement> take_all_apart(const std::vector<std::string>& statements);

// Whether a name may have this character.
bool in_name(char c);

// The text with each name in the place of what `replace` makes of it. Numbers, strings, and words
// after a dot are not names.
std::string replace_names(std::string_view text,
                          const std::function<std::string(std::string_view name)>& replace);
std::vector<std::string> names_in(std::string_view text);

// Names that the instruction writes: those of its first operand where that is a destination ("p|q",
// "{a, b}"), none for stores, branches, barriers. Nothing for other statements.
std::vector<std::string> written_names(const PtxStatement& statement);
// All others in it, the guard's too. A name that is written may be read as well.
std::vector<std::string> read_names(const PtxStatement& statement);

// "%r1, (a, b), prototype": of `call.uni (r), f, (a, b);` the callee's name, or the register that
// holds it.
struct PtxCall {
  std::string callee;
  std::vector<std::string> results, arguments;
};
PtxCall call_of(const PtxStatement& statement);

// Whether it is an instruction with one of these facts (core/isa/ptx_opcodes.toml).
template <class... Facts>
bool is(const PtxStatement& statement, Facts... facts) {
  return statement.part == PtxStatement::Part::instruction &&
         isa::ptx_opcode(statement.name).facts.has(facts...);
}

// "ld" of "ld.volatile.global.u64".
std::string_view stem_of(const PtxStatement& statement);

// The numbers of ".reqntid 64, 1, 1"; missing ones are not there.
std::vector<int> numbers_of(const PtxStatement& directive);
// "32", "0x20U", "040", "0b100000", "-1"; nothing for names and expressions.
std::optional<std::uint64_t> literal_integer(std::string text);

// A statement of a file.
struct PlacedStatement {
  std::string before;  // blanks and comments before it
  std::string text;    // as written, with its semicolon
  int line = 0;        // 1-based, of its first character
  int column = 0;      // 1-based
  bool known = true;   // false: no directive or opcode that this knows
  int heading = -1;    // of PtxFile::headings; -1: none
  PtxStatement parsed = {};
};

// "FILE:12:5", for messages.
std::string place_of(const std::string& file, const PlacedStatement& statement);

// One statement's text without comments, each run of blanks as one blank.
std::string plain_text(std::string_view statement);

}  // namespace phasebit::ptx
