#include "bench/campaign/class_control.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace phasebit::bench::campaign {

using record::Summary;

namespace {

struct Side {
  double low = 0, high = 0, widest = 0;  // of the figures; the widest interval
};

Side side_of(const std::vector<Summary>& all) {
  const auto [low, high] =
      std::minmax_element(all.begin(), all.end(),
                          [](const Summary& a, const Summary& b) { return a.cycles < b.cycles; });
  Side side{low->cycles, high->cycles};
  for (const Summary& one : all)
    side.widest = std::max(side.widest, one.interval.interval.high - one.interval.interval.low);
  return side;
}

std::string figures_of(const std::vector<Summary>& all) {
  std::vector<std::string> figures;
  for (const Summary& one : all) figures.push_back(fmt::format("{:.2f}", one.cycles));
  return fmt::format("{}", fmt::join(figures, ", "));
}

}  // namespace

bool are_apart(const std::vector<Summary>& first, const std::vector<Summary>& second) {
  if (first.empty() || second.empty()) return false;
  constexpr double least_cycles = 0.5, least_share = 0.005;
  const Side a = side_of(first), b = side_of(second);
  const double floor =
      std::max({least_cycles, least_share * std::max(std::abs(a.low), std::abs(b.low)),
                a.high - a.low, b.high - b.low, a.widest, b.widest});
  return std::max(a.low - b.high, b.low - a.high) > floor;
}

std::string in_words(const std::string& first_id, const std::vector<Summary>& first,
                     const std::string& second_id, const std::vector<Summary>& second) {
  return fmt::format("{} {}; {} {}", first_id, figures_of(first), second_id, figures_of(second));
}

}  // namespace phasebit::bench::campaign
