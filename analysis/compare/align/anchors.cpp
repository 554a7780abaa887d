#include "analysis/compare/align/align.h"

#include <algorithm>

namespace phasebit::compare::align {
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

  // Aligns what stands before a run, and then the run.
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
  int a_ = 0, b_ = 0;  // what is behind these is not aligned yet
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

}  // namespace phasebit::compare::align
