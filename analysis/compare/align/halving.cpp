#include "analysis/compare/align/halving.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace phasebit::compare::align {
namespace {

// A word of bits that are not all zero.
struct Bits {
  std::size_t word = 0;
  std::uint64_t mask = 0;
};

// Where a value stands: by words that have one, or a mask for each word.
struct Occurrences {
  std::vector<Bits> some;
  std::vector<std::uint64_t> every;  // empty where few words have one
};

// Where each value stands in a sequence, read from its start or from its end.
class Places {
 public:
  Places(std::span<const int> values, bool backwards) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::vector<Bits>& bits = of_[values[backwards ? values.size() - 1 - i : i]].some;
      if (bits.empty() || bits.back().word != i / 64) bits.push_back({i / 64, 0});
      bits.back().mask |= std::uint64_t{1} << (i % 64);
    }
    const std::size_t words = values.size() / 64 + 1;
    for (auto& [value, one] : of_) {
      if (one.some.size() * 4 < words) continue;
      one.every.assign(words, 0);
      for (const auto& [word, mask] : one.some) one.every[word] = mask;
    }
  }
  const Occurrences* find(int value) const {
    const auto found = of_.find(value);
    return found == of_.end() ? nullptr : &found->second;
  }

 private:
  std::unordered_map<int, Occurrences> of_;
};

std::uint64_t add_with_carry(std::uint64_t a, std::uint64_t b, bool& carry) {
  const std::uint64_t sum = a + b, all = sum + (carry ? 1 : 0);
  carry = sum < a || all < sum;
  return all;
}

// One more element of the other sequence: row = (row + matches) | (row - matches), where matches
// are the ones of the row that stand at an equal element. Words without any change only by a carry.
void advance(std::vector<std::uint64_t>& row, const std::vector<Bits>& bits) {
  bool carry = false;
  std::size_t word = 0;
  for (const auto& [at, mask] : bits) {
    for (; carry && word < at; ++word) {
      const std::uint64_t before = row[word];
      row[word] = add_with_carry(before, 0, carry) | before;
    }
    const std::uint64_t before = row[at], matches = before & mask;
    row[at] = add_with_carry(before, matches, carry) | (before - matches);
    word = at + 1;
  }
  for (; carry && word < row.size(); ++word) {
    const std::uint64_t before = row[word];
    row[word] = add_with_carry(before, 0, carry) | before;
  }
}

// So many elements at once, of which each stands in many words: what one does to a word needs no
// more than what those before it did to it, and the carries from the words below.
constexpr std::size_t together = 4;
using Masks = std::array<const std::uint64_t*, together>;

void advance(std::vector<std::uint64_t>& row, const Masks& masks) {
  std::array<std::uint64_t, together> carries = {};
  for (std::size_t word = 0; word < row.size(); ++word) {
    std::uint64_t value = row[word];
#pragma GCC unroll 4
    for (std::size_t n = 0; n < together; ++n) {
      const std::uint64_t matches = value & masks[n][word];
      const std::uint64_t sum = value + matches, all = sum + carries[n];
      carries[n] = static_cast<std::uint64_t>(sum < value) | static_cast<std::uint64_t>(all < sum);
      value = all | (value - matches);
    }
    row[word] = value;
  }
}

// Takes the elements of one sequence, in their order.
class Row {
 public:
  explicit Row(std::size_t size) : bits_(size / 64 + 1, ~std::uint64_t{0}) {}

  void add(const Occurrences& one) {
    if (one.every.empty()) {
      flush();
      return advance(bits_, one.some);
    }
    waiting_[count_] = &one;
    if (++count_ < together) return;
    Masks masks{};
    for (std::size_t n = 0; n < together; ++n) masks[n] = waiting_[n]->every.data();
    advance(bits_, masks);
    count_ = 0;
  }
  const std::vector<std::uint64_t>& finish() {
    flush();
    return bits_;
  }

 private:
  void flush() {
    for (std::size_t n = 0; n < count_; ++n) advance(bits_, waiting_[n]->some);
    count_ = 0;
  }

  std::vector<std::uint64_t> bits_;
  std::array<const Occurrences*, together> waiting_ = {};
  std::size_t count_ = 0;
};

// By length of the start (or end) of b: the length of a longest common subsequence with all of a.
std::vector<int> lengths(std::span<const int> a, std::span<const int> b, bool backwards) {
  const Places places(b, backwards);
  Row made(b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    if (const auto* found = places.find(a[backwards ? a.size() - 1 - i : i])) made.add(*found);
  const std::vector<std::uint64_t>& row = made.finish();
  std::vector<int> lengths(b.size() + 1, 0);
  for (std::size_t j = 0; j < b.size(); ++j)
    lengths[j + 1] = lengths[j] + static_cast<int>((~row[j / 64] >> (j % 64)) & 1U);
  return lengths;
}

}  // namespace

Halves halve(std::span<const int> a, std::span<const int> b) {
  const std::size_t half = a.size() / 2;
  const std::vector<int> before = lengths(a.first(half), b, false);
  const std::vector<int> behind = lengths(a.subspan(half), b, true);
  std::size_t best = 0;
  int most = -1;
  for (std::size_t j = 0; j <= b.size(); ++j)
    if (const int sum = before[j] + behind[b.size() - j]; sum > most) best = j, most = sum;
  return {static_cast<int>(half), static_cast<int>(best)};
}

}  // namespace phasebit::compare::align
