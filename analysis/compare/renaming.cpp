#include "analysis/compare/renaming.h"

#include "analysis/compare/targets.h"
#include "analysis/flow/flow.h"
#include "analysis/flow/index.h"
#include "core/base/hash.h"

#include <algorithm>
#include <array>

namespace phasebit::compare {

using cubin::SassKernel;
using flow::index_of;

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
    const std::string_view stem = flow::opcode_stem(one);
    if (stem == "BRA" || stem == "JMP" || flow::jumps_by_call(one))
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

}  // namespace phasebit::compare
