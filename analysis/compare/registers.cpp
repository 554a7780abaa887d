#include "analysis/compare/registers.h"

#include "analysis/flow/flow.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace phasebit::compare {
namespace {

// Instructions that give nothing back, though a register may stand first.
constexpr std::string_view without_result[] = {
    "ACQBULK",  "ARRIVES",    "BAR",       "BMOV",   "BRA",     "BREAK",     "BRX",     "BSSY",
    "BSYNC",    "CALL",       "CCTL",      "CCTLL",  "DEPBAR",  "ERRBAR",    "EXIT",    "FENCE",
    "JMP",      "JMX",        "LDGDEPBAR", "LDGSTS", "MEMBAR",  "NANOSLEEP", "NOP",     "PREEXIT",
    "R2B",      "R2P",        "RED",       "REDAS",  "REDG",    "RET",       "ST",      "STAS",
    "STG",      "STL",        "STS",       "STSM",   "STTM",    "SUST",      "UBLKCP",  "UBLKPF",
    "UBLKRED",  "USETMAXREG", "UTCBAR",    "UTCCP",  "UTCHMMA", "UTMACCTL",  "UTMALDG", "UTMAPF",
    "UTMAREDG", "UTMASTG",    "WARPSYNC",  "YIELD"};
constexpr std::string_view loads[] = {"ATOM", "ATOMG", "ATOMS", "LD",  "LDC",
                                      "LDCU", "LDG",   "LDL",   "LDS", "ULDC"};
constexpr std::string_view compares[] = {"DSETP",  "FSETP",  "HSETP2", "ISETP", "PLOP3",
                                         "UFSETP", "UISETP", "UPLOP3", "PSETP", "UPSETP"};
// A register, and behind it predicates that are results too: what is carried out.
constexpr std::string_view carries[] = {"IADD3", "UIADD3", "LEA",  "ULEA",
                                        "IMAD",  "UIMAD",  "VOTE", "VOTEU"};

template <std::size_t n>
bool is_one_of(const std::string_view (&words)[n], std::string_view word) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

bool is_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

// The number of "R12", "UR4", "P0" or "UP1"; -1 for any other word.
int number_of(std::string_view word) {
  int base = 0, most = 254;
  if (word.starts_with('U')) word.remove_prefix(1), base = first_uniform;
  if (word.starts_with('P')) base = base == 0 ? first_predicate : first_uniform_predicate, most = 6;
  if (!word.starts_with('R') && !word.starts_with('P')) return -1;
  int value = -1;
  const char* end = word.data() + word.size();
  const auto parsed = std::from_chars(word.data() + 1, end, value);
  const bool whole = word.size() > 1 && parsed.ec == std::errc() && parsed.ptr == end;
  return whole && value <= most ? base + value : -1;
}

// What one operand is, as far as the question of results goes.
enum class Operand { predicate, plain_register, other };

Operand kind_of(std::string_view operand) {
  if (operand == "PT" || operand == "UPT") return Operand::predicate;
  if (operand == "RZ" || operand == "URZ") return Operand::plain_register;
  const std::string_view word = operand.substr(0, operand.find('.'));
  const int number = number_of(word);
  if (number < 0) return Operand::other;
  return number >= first_predicate ? Operand::predicate : Operand::plain_register;
}

// The kinds of the first operands: enough to tell results from what is read.
struct Leading {
  std::array<Operand, 3> kinds = {Operand::other, Operand::other, Operand::other};

  explicit Leading(std::string_view operands) {
    for (Operand& kind : kinds) {
      const std::size_t comma = operands.find(',');
      kind = kind_of(operands.substr(0, comma));
      if (comma == std::string_view::npos) return;
      operands.remove_prefix(comma + 1);
    }
  }
};

// How many of the leading operands are results.
std::size_t result_count(std::string_view stem, std::string_view operands) {
  if (operands.empty() || is_one_of(without_result, stem)) return 0;
  const auto [first, second, third] = Leading(operands).kinds;
  if (first == Operand::other) return 0;
  if (first == Operand::predicate) {
    if (is_one_of(compares, stem)) return second == Operand::predicate ? 2 : 1;
    if (stem == "SYNCS" || stem == "USYNCS") return 1;
    return second == Operand::plain_register ? 2 : 1;
  }
  if (!is_one_of(carries, stem) || second != Operand::predicate) return 1;
  const bool one = stem == "VOTE" || stem == "VOTEU";
  return !one && third == Operand::predicate ? 3 : 2;
}

bool has(std::string_view opcode, std::string_view modifier) {
  const std::size_t found = opcode.find(modifier);
  const std::size_t end = found + modifier.size();
  return found != std::string_view::npos && (end == opcode.size() || opcode[end] == '.');
}

// The number behind `mark`: 64 of "64x64x16" behind "x". 0 without one.
int number_behind(std::string_view text, std::string_view mark) {
  const std::size_t found = text.find(mark);
  int value = 0;
  if (found == std::string_view::npos) return 0;
  std::from_chars(text.data() + found + mark.size(), text.data() + text.size(), value);
  return value;
}

// Registers of a result of a matrix instruction: a lane's share of it.
int matrix_width(std::string_view stem, std::string_view opcode) {
  if (stem == "HGMMA" || stem == "QGMMA" || stem == "IGMMA" || stem == "BGMMA")
    return std::max(1, number_behind(opcode, ".64x") / (has(opcode, ".F16") ? 4 : 2));
  if (stem == "LDTM") return std::max(1, number_behind(opcode, ".x"));
  if (stem == "LDSM") return has(opcode, ".4") ? 4 : has(opcode, ".2") ? 2 : 1;
  if (stem == "HMMA") return has(opcode, ".F32") ? 4 : 2;
  return stem == "IMMA" || stem == "QMMA" || stem == "DMMA" || stem == "OMMA" ? 4 : 0;
}

// Registers of the result, as far as the opcode tells.
int width_of(std::string_view stem, std::string_view opcode) {
  if (const int matrix = matrix_width(stem, opcode); matrix > 0) return matrix;
  if (is_one_of(loads, stem)) return has(opcode, ".128") ? 4 : has(opcode, ".64") ? 2 : 1;
  if (stem == "CS2R") return has(opcode, ".32") ? 1 : 2;
  if (stem == "DADD" || stem == "DMUL" || stem == "DFMA" || stem == "FADD2" || stem == "FMUL2" ||
      stem == "FFMA2")
    return 2;
  const bool converts = stem == "F2F" || stem == "I2F" || stem == "F2I";
  if (converts) return has(opcode, ".F64") || has(opcode, ".S64") || has(opcode, ".U64") ? 2 : 1;
  return has(opcode, ".WIDE") || opcode.find(".WIDE.") != std::string_view::npos ||
                 opcode.ends_with(".64")
             ? 2
             : 1;
}

// Copies a text without the numbers of its registers, and tells `found` each with its operand.
template <typename Found>
void mask(std::string_view in, std::string& out, Found found) {
  std::size_t operand = 0;
  int depth = 0;
  for (std::size_t i = 0; i < in.size();) {
    const char c = in[i];
    if (!is_word(c)) {
      depth += (c == '[' || c == '{') - (c == ']' || c == '}');
      operand += c == ',' && depth == 0 ? 1 : 0;
      out += c;
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < in.size() && is_word(in[end])) ++end;
    const std::string_view word = in.substr(i, end - i);
    const bool modifier = i > 0 && in[i - 1] == '.';
    const int number = modifier ? -1 : number_of(word);
    out += number < 0 ? word : word.substr(0, word.find_first_of("0123456789"));
    if (number >= 0) found(number, operand);
    i = end;
  }
}

}  // namespace

void mask_registers(const cubin::Instruction& instruction, std::string_view operands,
                    std::string& text, std::vector<RegisterMention>& registers) {
  const std::string_view stem = flow::opcode_stem(instruction);
  const std::size_t results = result_count(stem, operands);
  mask(instruction.predicate, text,
       [&](int number, std::size_t) { registers.push_back({number, false, 1}); });
  text += ' ';
  mask(operands, text, [&](int number, std::size_t operand) {
    const bool written = operand < results;
    const bool wide = written && number < first_predicate;
    registers.push_back({number, written, wide ? width_of(stem, instruction.opcode) : 1});
  });
}

}  // namespace phasebit::compare
