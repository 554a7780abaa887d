#include "analysis/compare/align/align.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace phasebit::compare::align {

namespace {

// A part of both sequences, [begin, end).
struct Part {
  int a_begin = 0, a_end = 0, b_begin = 0, b_end = 0;
  int a_size() const { return a_end - a_begin; }
  int b_size() const { return b_end - b_begin; }
};

struct Point {
  int x = 0, y = 0;  // within the part
};

// Furthest points of the paths with d differences, by diagonal x - y, from one corner of a part.
struct Front {
  std::vector<int> furthest;  // x by diagonal + offset; -1: not reached
  int offset = 0;
  int skip_low = 0, skip_high = 0;  // diagonals that have left the part

  void start(int size) {
    offset = size + 1;
    const int diagonals = 2 * offset + 1;
    furthest.assign(static_cast<std::size_t>(diagonals), -1);
    by_diagonal()[1] = 0;
    skip_low = skip_high = 0;
  }
  // Without the checks of an index: this is the innermost loop.
  int* by_diagonal() { return furthest.data() + offset; }
  bool holds(int diagonal) const { return diagonal >= -offset && diagonal <= offset; }
};

class Aligner {
 public:
  Aligner(const std::vector<int>& a, const std::vector<int>& b) : a_(a), b_(b) {}

  IndexPairs run() {
    align({0, static_cast<int>(a_.size()), 0, static_cast<int>(b_.size())});
    std::sort(pairs_.begin(), pairs_.end());
    return std::move(pairs_);
  }

 private:
  bool equal(int a, int b) const { return a_.data()[a] == b_.data()[b]; }

  void align(Part part) {
    while (part.a_size() > 0 && part.b_size() > 0 && equal(part.a_begin, part.b_begin))
      pairs_.emplace_back(part.a_begin++, part.b_begin++);
    while (part.a_size() > 0 && part.b_size() > 0 && equal(part.a_end - 1, part.b_end - 1))
      pairs_.emplace_back(--part.a_end, --part.b_end);
    if (part.a_size() == 0 || part.b_size() == 0) return;
    const Point split = middle(part).value_or(Point{-1, -1});
    if (split.x < 0) return align_halves(part);
    const int a = part.a_begin + split.x, b = part.b_begin + split.y;
    align({part.a_begin, a, part.b_begin, b});
    align({a, part.a_end, b, part.b_end});
  }

  void align_halves(const Part& part) {
    const auto [a, b] = halve(std::span(a_).subspan(static_cast<std::size_t>(part.a_begin),
                                                    static_cast<std::size_t>(part.a_size())),
                              std::span(b_).subspan(static_cast<std::size_t>(part.b_begin),
                                                    static_cast<std::size_t>(part.b_size())));
    align({part.a_begin, part.a_begin + a, part.b_begin, part.b_begin + b});
    align({part.a_begin + a, part.a_end, part.b_begin + b, part.b_end});
  }

  // The differences of half a path above which rows of bits are less work: a step for 64 pairs of
  // elements, against a step for each pair of differences. The search that is given up costs a
  // small part of what follows it.
  static int most_differences(const Part& part) {
    constexpr double at_least = 64;
    const double product = static_cast<double>(part.a_size()) * part.b_size();
    return static_cast<int>(std::max(at_least, std::sqrt(product / 64) / 16));
  }

  // A point on a shortest path, where the paths from both corners meet. Neither corner: without
  // common ends there are at least two differences, one in each half. None where there are too many
  // differences for this way.
  std::optional<Point> middle(const Part& part) {
    const int size = (part.a_size() + part.b_size() + 1) / 2;
    const int most = std::min(size, most_differences(part));
    forward_.start(most + 1), backward_.start(most + 1);
    for (int d = 0; d <= most; ++d) {
      if (const auto met = advance(part, d, true)) return met;
      if (const auto met = advance(part, d, false)) return met;
    }
    if (most < size && part.a_size() > 1) return std::nullopt;
    const auto begin = b_.begin() + part.b_begin, end = b_.begin() + part.b_end;
    const auto found = std::find(begin, end, a_[static_cast<std::size_t>(part.a_begin)]);
    if (most < size && found != end) return Point{0, static_cast<int>(found - begin)};
    return Point{part.a_size(), 0};  // nothing in common
  }

  // One more difference from one corner. Where the fronts can meet first depends on the parity of
  // the diagonals between the corners.
  std::optional<Point> advance(const Part& part, int d, bool forward) {
    Front& mine = forward ? forward_ : backward_;
    Front& other = forward ? backward_ : forward_;
    const int delta = part.a_size() - part.b_size();
    const bool may_meet = (delta % 2 != 0) == forward;
    int* const reached = mine.by_diagonal();
    const int* const met = other.by_diagonal();
    for (int k = -d + mine.skip_low; k <= d - mine.skip_high; k += 2) {
      const bool down = k == -d || (k != d && reached[k - 1] < reached[k + 1]);
      const int x = slide(part, down ? reached[k + 1] : reached[k - 1] + 1, k, forward);
      reached[k] = x;
      if (x > part.a_size()) {
        mine.skip_high += 2;
      } else if (x - k > part.b_size()) {
        mine.skip_low += 2;
      } else if (may_meet && other.holds(delta - k) && met[delta - k] >= 0 &&
                 x + met[delta - k] >= part.a_size()) {
        if (forward) return Point{x, x - k};
        return Point{part.a_size() - x, part.b_size() - (x - k)};
      }
    }
    return std::nullopt;
  }

  // Along equal elements, away from the corner.
  int slide(const Part& part, int x, int diagonal, bool forward) const {
    int y = x - diagonal;
    while (x < part.a_size() && y < part.b_size() &&
           (forward ? equal(part.a_begin + x, part.b_begin + y)
                    : equal(part.a_end - 1 - x, part.b_end - 1 - y)))
      ++x, ++y;
    return x;
  }

  const std::vector<int>& a_;
  const std::vector<int>& b_;
  Front forward_, backward_;
  IndexPairs pairs_;
};

// A sequence without what the other does not hold, which is aligned with nothing.
struct Shared {
  std::vector<int> values;
  std::vector<int> places;  // in the whole sequence

  Shared(const std::vector<int>& whole, const std::vector<int>& other) {
    const std::unordered_set<int> known(other.begin(), other.end());
    for (std::size_t i = 0; i < whole.size(); ++i) {
      if (!known.contains(whole[i])) continue;
      values.push_back(whole[i]);
      places.push_back(static_cast<int>(i));
    }
  }
  int place(int index) const { return places[static_cast<std::size_t>(index)]; }
};

}  // namespace

IndexPairs align(const std::vector<int>& first, const std::vector<int>& second) {
  const Shared a(first, second), b(second, first);
  auto pairs = Aligner(a.values, b.values).run();
  for (auto& [left, right] : pairs) left = a.place(left), right = b.place(right);
  return pairs;
}

namespace {

constexpr std::size_t run_length = 4;
// Shorter sequences need no help.
constexpr std::size_t long_sequence = 2000;

struct Run {
  std::uint64_t hash = 0;
  int begin = 0;
  bool operator<(const Run& other) const { return hash < other.hash; }
};

// The runs that a sequence has once, by their hash.
std::vector<Run> single_runs(const std::vector<int>& keys,
                             const std::vector<std::uint64_t>& whole) {
  std::vector<Run> runs;
  for (std::size_t i = 0; i + run_length <= keys.size(); ++i) {
    std::uint64_t hash = 0;
    for (std::size_t n = i; n < i + run_length; ++n)
      hash =
          (hash ^ whole[n] ^ (static_cast<std::uint64_t>(keys[n]) << 32U)) * 0x9e3779b97f4a7c15ULL;
    runs.push_back({hash ^ (hash >> 29U), static_cast<int>(i)});
  }
  std::sort(runs.begin(), runs.end());
  std::vector<Run> single;
  for (std::size_t i = 0; i < runs.size(); ++i)
    if ((i == 0 || runs[i - 1].hash != runs[i].hash) &&
        (i + 1 == runs.size() || runs[i + 1].hash != runs[i].hash))
      single.push_back(runs[i]);
  return single;
}

// Where both have a run, in the order of the first.
IndexPairs common_runs(const std::vector<Run>& first, const std::vector<Run>& second) {
  IndexPairs pairs;
  auto other = second.begin();
  for (const Run& run : first) {
    while (other != second.end() && *other < run) ++other;
    if (other == second.end()) break;
    if (other->hash == run.hash) pairs.emplace_back(run.begin, other->begin);
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

// As many as there can be that ascend in both.
IndexPairs longest_ascending(const IndexPairs& pairs) {
  std::vector<std::size_t> ends;  // by length, the pair with the smallest end
  std::vector<std::size_t> before(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto place =
        std::lower_bound(ends.begin(), ends.end(), pairs[i].second,
                         [&](std::size_t end, int value) { return pairs[end].second < value; });
    before[i] = place == ends.begin() ? i : *(place - 1);
    if (place == ends.end())
      ends.push_back(i);
    else
      *place = i;
  }
  IndexPairs chosen(ends.size());
  std::size_t at = ends.empty() ? 0 : ends.back();
  for (std::size_t n = ends.size(); n > 0; --n, at = before[at]) chosen[n - 1] = pairs[at];
  return chosen;
}

std::vector<int> part_of(const std::vector<int>& all, int begin, int end) {
  return {all.begin() + begin, all.begin() + end};
}

class Gaps {
 public:
  Gaps(const std::vector<int>& first, const std::vector<int>& second)
      : first_(first), second_(second) {}

  // Aligns what comes before a run, and then the run.
  void add(int a, int b) {
    constexpr int length = run_length;
    const int known = std::max(a_ - a, b_ - b);  // of the run: those before already hold it
    if (known > 0 && a_ - a != b_ - b) return;   // it overlaps the one before in another place
    if (known <= 0) fill(a, b);
    for (int n = std::max(known, 0); n < length; ++n) {
      const auto offset = static_cast<std::size_t>(n);
      if (first_[static_cast<std::size_t>(a) + offset] !=
          second_[static_cast<std::size_t>(b) + offset])
        return;
      pairs_.emplace_back(a + n, b + n);
      a_ = a + n + 1, b_ = b + n + 1;
    }
  }
  IndexPairs finish() {
    fill(static_cast<int>(first_.size()), static_cast<int>(second_.size()));
    return std::move(pairs_);
  }

 private:
  void fill(int a, int b) {
    if (a > a_ && b > b_)
      for (const auto& [x, y] : align(part_of(first_, a_, a), part_of(second_, b_, b)))
        pairs_.emplace_back(a_ + x, b_ + y);
    a_ = a, b_ = b;
  }

  const std::vector<int>& first_;
  const std::vector<int>& second_;
  int a_ = 0, b_ = 0;  // what comes after these is not aligned yet
  IndexPairs pairs_;
};

}  // namespace

IndexPairs align_by_anchors(const std::vector<int>& first, const std::vector<int>& second,
                            const std::vector<std::uint64_t>& first_whole,
                            const std::vector<std::uint64_t>& second_whole) {
  if (std::min(first.size(), second.size()) < long_sequence) return align(first, second);
  Gaps gaps(first, second);
  for (const auto& [a, b] : longest_ascending(
           common_runs(single_runs(first, first_whole), single_runs(second, second_whole))))
    gaps.add(a, b);
  return gaps.finish();
}

namespace {

// A word of bits that are not all zero.
struct Bits {
  std::size_t word = 0;
  std::uint64_t mask = 0;
};

// Where a value is: by words that have one, or a mask for each word.
struct Occurrences {
  std::vector<Bits> some;
  std::vector<std::uint64_t> every;  // empty where few words have one
};

// Where each value is in a sequence, read from its start or from its end.
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
// are the ones of the row that are at an equal element. Words without any change only by a carry.
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

// So many elements at once, of which each is in many words: what one does to a word needs no
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
class MatchBits {
 public:
  explicit MatchBits(std::size_t size) : bits_(size / 64 + 1, ~std::uint64_t{0}) {}

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
  MatchBits made(b.size());
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
