#include "analysis/compare/align/align.h"

#include "analysis/compare/align/halving.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>

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

}  // namespace phasebit::compare::align
