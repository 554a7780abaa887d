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
// Two registers for each value.
constexpr std::string_view pairs[] = {"DADD", "DFMA", "DMUL", "FADD2", "FFMA2", "FMUL2"};
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
std::size_t result_count(OpcodeShape::Results results, std::string_view operands) {
  using Results = OpcodeShape::Results;
  if (operands.empty() || results == Results::none) return 0;
  const auto [first, second, third] = Leading(operands).kinds;
  if (first == Operand::other) return 0;
  if (first == Operand::predicate) {
    if (results == Results::compare) return second == Operand::predicate ? 2 : 1;
    if (results == Results::sync) return 1;
    return second == Operand::plain_register ? 2 : 1;
  }
  const bool carries = results == Results::carry || results == Results::vote;
  if (!carries || second != Operand::predicate) return 1;
  return results == Results::carry && third == Operand::predicate ? 3 : 2;
}

OpcodeShape::Results results_of(std::string_view stem) {
  using Results = OpcodeShape::Results;
  if (is_one_of(without_result, stem)) return Results::none;
  if (is_one_of(compares, stem)) return Results::compare;
  if (stem == "SYNCS" || stem == "USYNCS") return Results::sync;
  if (stem == "VOTE" || stem == "VOTEU") return Results::vote;
  return is_one_of(carries, stem) ? Results::carry : Results::first;
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
  if (is_one_of(pairs, stem)) return 2;
  const bool converts = stem == "F2F" || stem == "I2F" || stem == "F2I";
  if (converts) return has(opcode, ".F64") || has(opcode, ".S64") || has(opcode, ".U64") ? 2 : 1;
  return has(opcode, ".WIDE") || opcode.find(".WIDE.") != std::string_view::npos ||
                 opcode.ends_with(".64")
             ? 2
             : 1;
}

bool is_matrix(std::string_view stem) {
  return stem.ends_with("MMA") && stem.size() == 4;
}

// Registers that a matrix instruction reads for one of its operands: 1 is A, 2 is B, the others
// are as wide as the result.
int matrix_read(std::string_view opcode, std::size_t operand, int result) {
  const bool large = has(opcode, ".16816") || has(opcode, ".16832") || has(opcode, ".16864");
  if (operand == 1) return large ? 4 : 2;
  if (operand == 2) return large ? 2 : 1;
  return result;
}

// Dimensions of a tensor copy: 3 of "UTMALDG.3D".
int dimensions_of(std::string_view opcode) {
  for (int n = 1; n <= 5; ++n)
    if (has(opcode, fmt::format(".{}D", n))) return n;
  return 0;
}

// One register of an instruction, as it stands in the text.
struct Place {
  std::size_t operand = 0;  // from 0
  bool last = false;        // operand
  int depth = 0;            // of brackets
  std::string_view before;  // the word in front of its bracket: "desc" of "desc[UR4]"
  bool is_64 = false;       // "R2.64"
};

// Registers of each operand outside brackets; 0 where they differ.
int fixed_read(std::string_view stem, std::string_view opcode) {
  if (stem == "STSM") return has(opcode, ".4") ? 4 : has(opcode, ".2") ? 2 : 1;
  if (stem == "STTM") return std::max(1, number_behind(opcode, ".x"));
  if (has(opcode, ".128")) return 4;
  if (has(opcode, ".64") || has(opcode, ".F64") || stem == "DSETP") return 2;
  // Of shifts of 64 bits the halves are operands of their own.
  if ((has(opcode, ".U64") || has(opcode, ".S64")) && stem != "SHF" && stem != "USHF") return 2;
  return 0;
}

int address_read(std::string_view stem, std::string_view opcode) {
  if (stem.starts_with("UTMA")) return 2 + dimensions_of(opcode);
  return stem == "UBLKCP" || stem == "UBLKRED" || stem == "UBLKPF" ? 2 : 1;
}

OpcodeShape shape_of(std::string_view stem, std::string_view opcode) {
  using Reads = OpcodeShape::Reads;
  OpcodeShape shape;
  shape.results = results_of(stem);
  shape.width = width_of(stem, opcode);
  shape.address_read = address_read(stem, opcode);
  if (is_matrix(stem)) {
    shape.reads = Reads::matrix;
    shape.first_matrix_read = matrix_read(opcode, 1, shape.width);
    shape.second_matrix_read = matrix_read(opcode, 2, shape.width);
  } else if (matrix_width(stem, opcode) > 0) {
    shape.reads = Reads::as_result;
  } else {
    shape.fixed_read = fixed_read(stem, opcode);
    if (has(opcode, ".WIDE"))
      shape.reads = Reads::wide;
    else if (is_one_of(pairs, stem))
      shape.reads = Reads::pair;
  }
  return shape;
}

// Registers that are read from the one named on, at least: a 64-bit address is two.
int read_width(const OpcodeShape& shape, const Place& place) {
  using Reads = OpcodeShape::Reads;
  if (place.is_64 || place.before == "desc") return 2;
  if (place.before == "gdesc" || place.before == "tmem" || place.before == "idesc") return 4;
  if (place.depth > 0) return shape.address_read;
  if (shape.fixed_read > 0) return shape.fixed_read;
  switch (shape.reads) {
    case Reads::matrix:
      if (place.operand == 1) return shape.first_matrix_read;
      return place.operand == 2 ? shape.second_matrix_read : shape.width;
    case Reads::as_result: return shape.width;
    case Reads::wide: return place.last ? 2 : 1;
    case Reads::pair: return 2;
    case Reads::plain: return 1;
  }
  bug("unknown way to read");
}

// Copies a text without the numbers of its registers, and tells `found` each with its place.
template <typename Found>
void mask_numbers(std::string_view in, std::string& out, Found found) {
  Place place;
  std::string_view word_before;
  for (std::size_t i = 0; i < in.size();) {
    const char c = in[i];
    if (!is_word(c)) {
      if (c == '[' || c == '{') place.before = word_before, ++place.depth;
      if (c == ']' || c == '}') place.before = {}, --place.depth;
      place.operand += c == ',' && place.depth == 0 ? 1 : 0;
      word_before = {};
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
    place.is_64 = in.substr(end).starts_with(".64");
    place.last = place.depth == 0 && in.find(',', end) == std::string_view::npos;
    if (number >= 0) found(number, place);
    word_before = word;
    i = end;
  }
}

}  // namespace

void RegisterReader::mask(const cubin::Instruction& instruction, std::string_view operands,
                          std::string& text, std::vector<RegisterMention>& registers) {
  const auto [found, fresh] = shapes_.try_emplace(instruction.opcode);
  if (fresh) found->second = shape_of(flow::opcode_stem(instruction), instruction.opcode);
  const OpcodeShape& shape = found->second;
  const std::size_t results = result_count(shape.results, operands);
  const int first =
      operands.find("UPR,") == std::string_view::npos ? first_predicate : first_uniform_predicate;
  // Where a register holds the mask, a predicate may stay what it was.
  const bool writes = operands.starts_with("PR,") || operands.starts_with("UPR,");
  const bool reads = !writes || !operands.substr(operands.rfind(',') + 1).starts_with("0x");
  for (const int i : flow::masked_predicates(operands)) {
    if (reads) registers.push_back({first + i, false, 1});
    if (writes) registers.push_back({first + i, true, 1});
  }
  mask_numbers(instruction.predicate, text,
               [&](int number, const Place&) { registers.push_back({number, false, 1}); });
  text += ' ';
  mask_numbers(operands, text, [&](int number, const Place& place) {
    const bool written = place.operand < results;
    int width = 1;
    if (number < first_predicate) width = written ? shape.width : read_width(shape, place);
    registers.push_back({number, written, width});
  });
}

}  // namespace phasebit::compare
