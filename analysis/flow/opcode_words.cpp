#include "analysis/flow/opcode_words.h"

#include "analysis/flow/census.h"
#include "analysis/flow/flow.h"

#include <algorithm>
#include <cstdlib>

namespace phasebit::flow {

using cubin::Instruction;
using cubin::instruction_bytes;
using cubin::SassKernel;
using cubin::SassWord;

namespace {

// Bits 72 to 90: where every modifier seen so far has been.
constexpr std::uint64_t modifier_bits = 0x7ffff00;

unsigned operation_of(const SassWord& word) {
  return static_cast<unsigned>(word.low & 0x1ff);
}

// Where the distance of a branch is, in instructions from the next one. Both are read off what we
// compile and are checked against the listings: bits 32 to 63 in bytes (sm_75 to sm_89), and bits
// 16 to 23 with bits 34 to 63 above them in units of 4 bytes (sm_90 and later).
std::int64_t plain_distance(const SassWord& word) {
  return static_cast<std::int32_t>(word.low >> 32) / static_cast<std::int64_t>(instruction_bytes);
}
std::int64_t split_distance(const SassWord& word) {
  const std::int64_t upper = static_cast<std::int64_t>(word.low) >> 34;
  const std::int64_t units = upper * 256 + static_cast<std::int64_t>((word.low >> 16) & 0xff);
  return units * 4 / static_cast<std::int64_t>(instruction_bytes);
}

// Bits 12 to 15: the guard predicate, 7 where there is none.
bool unguarded(const SassWord& word) {
  return ((word.low >> 12) & 0xf) == 7;
}

template <typename Take>
void for_each_instruction(const std::vector<const SassKernel*>& listings, const Take& take) {
  for (const SassKernel* kernel : listings)
    for (const Instruction& instruction : kernel->instructions) take(instruction);
}

}  // namespace

OpcodeWords OpcodeWords::learn(const std::vector<const SassKernel*>& listings,
                               const std::vector<const SassKernel*>& like,
                               const std::string& pattern) {
  OpcodeWords words;
  words.learn_modifiers(listings, pattern);
  words.learn_branches(like);
  return words;
}

// The modifiers are those bits that all instructions of the pattern have in common and others of
// the same operation have not.
void OpcodeWords::learn_modifiers(const std::vector<const SassKernel*>& listings,
                                  const std::string& pattern) {
  std::map<unsigned, Modifiers> common;
  for_each_instruction(listings, [&](const Instruction& one) {
    if (!rule::opcode_matches(pattern, one.opcode)) return;
    Modifiers& known =
        common.try_emplace(operation_of(one.word), Modifiers{modifier_bits, one.word.high})
            .first->second;
    known.mask &= ~(known.value ^ one.word.high);
  });
  for (const auto& [operation, known] : common) operations_[operation] = {0, known.value};
  for_each_instruction(listings, [&](const Instruction& one) {
    const auto known = common.find(operation_of(one.word));
    if (known == common.end() || rule::opcode_matches(pattern, one.opcode)) return;
    operations_[known->first].mask |= (one.word.high ^ known->second.value) & known->second.mask;
  });
}

void OpcodeWords::learn_branches(const std::vector<const SassKernel*>& listings) {
  std::vector<std::pair<const Instruction*, std::int64_t>> known;  // with its distance
  for_each_instruction(listings, [&](const Instruction& one) {
    if (leaves_kernel(one)) exits_.insert(operation_of(one.word));
    if (opcode_stem(one) != "BRA") return;
    branches_.insert(operation_of(one.word));
    const std::size_t at = one.operands.rfind("0x");
    if (at == std::string::npos) return;
    const std::int64_t target = std::strtoll(one.operands.c_str() + at, nullptr, 16);
    known.emplace_back(&one, (target - one.address) / instruction_bytes - 1);
  });
  for (const auto distance : {plain_distance, split_distance}) {
    const bool right = std::all_of(known.begin(), known.end(), [&](const auto& branch) {
      return distance(branch.first->word) == branch.second;
    });
    if (right && !known.empty()) distance_ = distance;
  }
}

bool OpcodeWords::matches(const SassWord& word) const {
  const auto known = operations_.find(operation_of(word));
  return known != operations_.end() &&
         ((word.high ^ known->second.value) & known->second.mask) == 0;
}

// Whether the jump at `to` back to `from` is taken for ever. The last instruction of a kernel, a
// jump to itself that nothing reaches, is none.
bool OpcodeWords::is_endless(const cubin::CubinKernel& kernel, std::size_t from,
                             std::size_t to) const {
  if (!unguarded(kernel.word(to))) return false;
  if (from == to && to > 0) {
    const SassWord before = kernel.word(to - 1);
    const unsigned operation = operation_of(before);
    if (unguarded(before) && (exits_.contains(operation) || branches_.contains(operation)))
      return false;
  }
  for (std::size_t i = from; i < to; ++i) {
    const SassWord word = kernel.word(i);
    const unsigned operation = operation_of(word);
    if (exits_.contains(operation)) return false;
    const std::int64_t next = static_cast<std::int64_t>(i) + 1 + distance_(word);
    if (branches_.contains(operation) &&
        (next > static_cast<std::int64_t>(to) || next < static_cast<std::int64_t>(from)))
      return false;
  }
  return true;
}

WordCount OpcodeWords::count(const cubin::CubinKernel& kernel) const {
  WordCount counted;
  std::vector<bool> in_loop(kernel.size(), !knows_branches());
  for (std::size_t i = 0; knows_branches() && i < kernel.size(); ++i) {
    const SassWord word = kernel.word(i);
    if (!branches_.contains(operation_of(word))) continue;
    const std::int64_t target = static_cast<std::int64_t>(i) + 1 + distance_(word);
    if (target < 0 || target > static_cast<std::int64_t>(i)) continue;
    const auto from = static_cast<std::size_t>(target);
    std::fill(in_loop.begin() + target, in_loop.begin() + static_cast<std::ptrdiff_t>(i) + 1, true);
    counted.has_endless_loop = counted.has_endless_loop || is_endless(kernel, from, i);
  }
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    if (!matches(kernel.word(i))) continue;
    ++counted.kernel;
    counted.loops += in_loop[i] ? 1 : 0;
  }
  return counted;
}

}  // namespace phasebit::flow
