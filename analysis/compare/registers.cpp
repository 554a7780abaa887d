#include "analysis/compare/registers.h"

#include "analysis/flow/flow.h"
#include "core/base/hash.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace phasebit::compare {

using cubin::Instruction;
using cubin::SassKernel;
using flow::index_of;
using isa::SassFact;
using isa::SassOpcode;
using isa::SassResults;

namespace {

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
std::size_t result_count(SassResults results, std::string_view operands) {
  using Results = SassResults;
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

bool has(std::string_view opcode, std::string_view modifier) {
  const std::size_t found = opcode.find(modifier);
  const std::size_t end = found + modifier.size();
  return found != std::string_view::npos && (end == opcode.size() || opcode[end] == '.');
}

// The number after `mark`: 64 of "64x64x16" after "x". 0 without one.
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
int width_of(const SassOpcode& known, std::string_view stem, std::string_view opcode) {
  if (const int matrix = matrix_width(stem, opcode); matrix > 0) return matrix;
  if (known.facts.has(SassFact::sized)) return has(opcode, ".128") ? 4 : has(opcode, ".64") ? 2 : 1;
  if (stem == "CS2R") return has(opcode, ".32") ? 1 : 2;
  if (known.facts.has(SassFact::paired)) return 2;
  const bool converts = stem == "F2F" || stem == "I2F" || stem == "F2I";
  if (converts) return has(opcode, ".F64") || has(opcode, ".S64") || has(opcode, ".U64") ? 2 : 1;
  return has(opcode, ".WIDE") || opcode.find(".WIDE.") != std::string_view::npos ||
                 opcode.ends_with(".64")
             ? 2
             : 1;
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

// One register of an instruction, as it is in the text.
struct Place {
  std::size_t operand = 0;  // from 0
  bool last = false;        // operand
  int depth = 0;            // of brackets
  std::string_view before;  // the word before its bracket: "desc" of "desc[UR4]"
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
  const SassOpcode& known = isa::sass_opcode(opcode);
  OpcodeShape shape;
  shape.results = known.results;
  shape.width = width_of(known, stem, opcode);
  shape.address_read = address_read(stem, opcode);
  if (known.facts.has(SassFact::matrix)) {
    shape.reads = Reads::matrix;
    shape.first_matrix_read = matrix_read(opcode, 1, shape.width);
    shape.second_matrix_read = matrix_read(opcode, 2, shape.width);
  } else if (matrix_width(stem, opcode) > 0) {
    shape.reads = Reads::as_result;
  } else {
    shape.fixed_read = fixed_read(stem, opcode);
    if (has(opcode, ".WIDE"))
      shape.reads = Reads::wide;
    else if (known.facts.has(SassFact::paired))
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

namespace {

std::uint64_t mixed(std::uint64_t seed, std::uint64_t value) {
  seed ^= value + 0x9e3779b97f4a7c15ULL + (seed << 6U) + (seed >> 2U);
  seed *= 0xff51afd7ed558ccdULL;
  return seed ^ (seed >> 32U);
}

// Never 0, which stands for "nothing wrote it".
std::uint32_t named(std::uint64_t kind, std::uint64_t row, std::uint64_t place,
                    std::uint64_t before = 0) {
  const std::uint64_t hash = mixed(mixed(mixed(kind, row), place), before);
  return static_cast<std::uint32_t>(hash >> 32U) | 1U;
}
enum : std::uint64_t { by_write, by_nothing, by_join };

}  // namespace

MaskedCode::MaskedCode(const SassKernel& kernel, std::size_t size, bool one_sm) : size_(size) {
  text_ends_.reserve(size), mention_ends_.reserve(size), guarded_.reserve(size);
  RegisterReader reader;
  for (std::size_t i = 0; i < size; ++i) {
    const cubin::Instruction& one = kernel.instructions[i];
    const std::string& operands = one_sm ? one.code_operands() : one.operands;
    if (operands.find(".reuse") == std::string::npos)
      reader.mask(one, operands, texts_, mentions_);
    else
      reader.mask(one, without_reuse(operands), texts_, mentions_);
    text_ends_.push_back(texts_.size());
    mention_ends_.push_back(mentions_.size());
    guarded_.push_back(!one.predicate.empty() && one.predicate != "@PT" && one.predicate != "@UPT");
  }
  number_registers();
  find_blocks(kernel);
}

// Most kernels name few of all registers. Neighbours stay neighbours.
void MaskedCode::number_registers() {
  std::array<bool, register_numbers> used = {};
  for (const RegisterMention& one : mentions_)
    for (int n = one.number; n < std::min(one.number + one.width, register_numbers); ++n)
      used[index_of(n)] = true;
  std::array<int, register_numbers> numbers = {};
  for (std::size_t n = 0; n < numbers.size(); ++n) {
    numbers[n] = static_cast<int>(registers_.size());
    if (used[n]) registers_.push_back(static_cast<int>(n));
  }
  for (RegisterMention& one : mentions_) {
    one.width = std::min(one.width, register_numbers - one.number);
    one.number = numbers[index_of(one.number)];
  }
}

std::string_view MaskedCode::text(std::size_t instruction) const {
  const std::size_t begin = instruction == 0 ? 0 : text_ends_[instruction - 1];
  return std::string_view(texts_).substr(begin, text_ends_[instruction] - begin);
}

void MaskedCode::find_blocks(const SassKernel& kernel) {
  std::vector<int> jumps(size_, -1);  // target by instruction
  std::vector<bool> leads(size_ + 1, false);
  for (std::size_t i = 0; i < size_; ++i) {
    const cubin::Instruction& one = kernel.instructions[i];
    if (flow::is(one, SassFact::branch) || flow::jumps_by_call(one))
      jumps[i] = target_index(kernel, one);
    if (jumps[i] >= static_cast<int>(size_)) jumps[i] = -1;
    if (jumps[i] >= 0) leads[index_of(jumps[i])] = true;
    if (jumps[i] >= 0 || !flow::falls_through(one)) leads[i + 1] = true;
  }
  std::vector<std::size_t> block_of(size_);
  for (std::size_t i = 0; i < size_; ++i) {
    if (i == 0 || leads[i]) blocks_.push_back({i, i, {}});
    blocks_.back().end = i + 1;
    block_of[i] = blocks_.size() - 1;
  }
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const std::size_t last = blocks_[b].end - 1;
    if (flow::falls_through(kernel.instructions[last]) && b + 1 < blocks_.size())
      blocks_[b + 1].predecessors.push_back(b);
    if (jumps[last] < 0) continue;
    std::vector<std::size_t>& before = blocks_[block_of[index_of(jumps[last])]].predecessors;
    if (before.empty() || before.back() != b) before.push_back(b);
  }
  for (Block& block : blocks_) std::sort(block.predecessors.begin(), block.predecessors.end());
}

MaskedCode::State MaskedCode::enter(std::size_t block, const std::vector<State>& left_by,
                                    std::uint32_t join) const {
  State state(registers_.size(), 0);
  const std::vector<std::size_t>& predecessors = blocks_[block].predecessors;
  for (std::size_t r = 0; r < state.size(); ++r) {
    std::uint64_t all = 0;
    bool several = false;
    for (const std::size_t one : predecessors) {
      if (left_by[one].empty() || left_by[one][r] == 0 || left_by[one][r] == state[r]) continue;
      several = several || state[r] != 0;
      if (state[r] == 0) state[r] = left_by[one][r];
      all = mixed(all, left_by[one][r]);
    }
    if (several) state[r] = named(by_join, join, all);
  }
  return state;
}

void MaskedCode::run(std::size_t block, State& state, const std::vector<AlignedPlace>& places,
                     std::vector<std::uint64_t>& read) const {
  for (std::size_t i = blocks_[block].begin; i < blocks_[block].end; ++i) {
    const std::size_t begin = i == 0 ? 0 : mention_ends_[i - 1], end = mention_ends_[i];
    std::uint64_t all = 0;
    for (std::size_t m = begin; m < end; ++m) {
      if (mentions_[m].written) continue;
      const auto number = index_of(mentions_[m].number);
      const std::uint32_t value = state[number];
      all = mixed(all, value != 0 ? value : named(by_nothing, 0, index_of(registers_[number])));
      // What nothing wrote into the rest of a wide one is the same whatever its number.
      for (int n = 1; n < mentions_[m].width; ++n) all = mixed(all, state[number + index_of(n)]);
    }
    read[i] = all;
    for (std::size_t m = begin; m < end; ++m)
      for (int n = 0; mentions_[m].written && n < mentions_[m].width; ++n) {
        std::uint32_t& value = state[index_of(mentions_[m].number + n)];
        const auto place = (m - begin) * 256 + static_cast<std::size_t>(n);
        value = named(by_write, places[i].row, place, guarded_[i] ? value : 0);
      }
  }
}

// Twice over the blocks in the order of the code: the second time it is known what jumps back
// bring.
std::vector<std::uint64_t> MaskedCode::values_read(const std::vector<AlignedPlace>& places) const {
  std::vector<std::uint64_t> read(size_, 0);
  std::vector<State> left_by(blocks_.size());
  for (int round = 0; round < 2; ++round)
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      State state = enter(b, left_by, places[blocks_[b].begin].join);
      run(b, state, places, read);
      left_by[b] = std::move(state);
    }
  return read;
}

std::string renaming_hash(const SassKernel& kernel, std::size_t size, bool one_sm) {
  const MaskedCode code(kernel, size, one_sm);
  std::vector<AlignedPlace> places(size);
  for (std::size_t i = 0; i < size; ++i)
    places[i] = {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i)};
  std::string all;
  const std::vector<std::uint64_t> values = code.values_read(places);
  for (std::size_t i = 0; i < size; ++i) {
    all += code.text(i);
    all.append(reinterpret_cast<const char*>(&values[i]), sizeof values[i]);
    all += '\n';
  }
  return base::content_hash(all);
}

namespace {

constexpr std::string_view reuse = ".reuse";

}  // namespace

CodeTarget target_of(const cubin::SassKernel& kernel, const Instruction& instruction) {
  if (!flow::is(instruction, SassFact::branch, SassFact::splits, SassFact::meets, SassFact::call))
    return {};
  const std::string_view operands = instruction.code_operands();
  const std::size_t comma = operands.rfind(',');
  const std::size_t begin = comma == std::string_view::npos ? 0 : comma + 1;
  const std::string_view last = operands.substr(begin);
  std::uint32_t address = 0;
  if (!last.starts_with("0x") || last.size() > 10) return {};
  const auto parsed = std::from_chars(last.data() + 2, last.data() + last.size(), address, 16);
  if (parsed.ec != std::errc() || parsed.ptr != last.data() + last.size()) return {};
  const std::size_t index = address / cubin::instruction_bytes;
  if (index >= kernel.instructions.size()) return {};
  return {static_cast<int>(index), operands.substr(0, begin)};
}

int target_index(const cubin::SassKernel& kernel, const Instruction& instruction) {
  return target_of(kernel, instruction).index;
}

std::optional<cubin::SassWord> without_distance(cubin::SassWord word, std::int64_t bytes) {
  constexpr std::uint64_t low_part = 0xff0000, middle = ~std::uint64_t{0} << 34, top = 0x3ffff;
  const std::uint64_t units = static_cast<std::uint64_t>(bytes >> 2);
  const std::uint64_t field = word.low >> 34 | (word.high & top) << 30;  // 48 bits
  const std::uint64_t low_units = (word.low & low_part) >> 16;
  constexpr std::uint64_t all = (std::uint64_t{1} << 48) - 1;
  const bool split = field == (units >> 8 & all) && low_units == (units & 0xff);
  if (!split && field != (units & all)) return std::nullopt;
  word.low &= split ? ~(middle | low_part) : ~middle;
  word.high &= ~top;
  return word;
}

std::string without_reuse(std::string operands) {
  for (std::size_t found = operands.find(reuse); found != std::string::npos;
       found = operands.find(reuse, found))
    operands.erase(found, reuse.size());
  return operands;
}

bool same_without_reuse(const std::string& a, const std::string& b) {
  if (a == b) return true;
  if (a.find(reuse) == std::string::npos && b.find(reuse) == std::string::npos) return false;
  return without_reuse(a) == without_reuse(b);
}

const std::string& compared_operands(const Instruction& instruction, bool one_sm) {
  return one_sm ? instruction.code_operands() : instruction.operands;
}

}  // namespace phasebit::compare
