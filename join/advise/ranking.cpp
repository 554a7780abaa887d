// Steps of an advice that need no results: tests/join have them by hand-made rows.
#include "core/base/text.h"
#include "join/advise/advise.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

#include <fmt/ranges.h>

namespace phasebit::join::advise {

namespace {

int stages_of(const Variant& variant) {
  const auto number = base::number_in(variant.key.value("num_stages"));
  return number ? static_cast<int>(*number) : 0;
}

// Of the axes that both have.
std::vector<std::string> differing(const Variant& one, const Variant& other) {
  std::vector<std::string> axes;
  for (const auto& [axis, value] : one.key.axes) {
    const std::string own = other.key.value(axis);
    if (!own.empty() && own != value) axes.push_back(axis);
  }
  return axes;
}

// As far as a period's interval reaches, of what is taken; of an estimate without one infinity.
double half_percent(const Period& period, const Period& taken) {
  if (period.measured) return 0;
  return period.high > 0 ? 100 * (period.high - period.value) / taken.value
                         : std::numeric_limits<double>::infinity();
}

}  // namespace

std::size_t first_choice(const std::vector<Choice>& ranked, std::size_t fastest) {
  const auto cost = [](const Choice& choice) {
    return std::tuple(stages_of(choice.variant), !choice.periods.front().measured,
                      choice.variant.named.size(), choice.periods.front().value);
  };
  std::size_t first = fastest;
  for (std::size_t n = 0; n < ranked.size(); ++n)
    if (ranked[n].same && cost(ranked[n]) < cost(ranked[first])) first = n;
  return first;
}

std::vector<AxisAnswer> axis_answers(const std::vector<Choice>& ranked, std::size_t first,
                                     const std::vector<std::string>& choices) {
  std::vector<AxisAnswer> answers;
  const Choice& taken = ranked[first];
  for (const std::string& axis : choices) {
    const std::string own = taken.variant.key.value(axis);
    if (own.empty()) continue;
    const auto other = std::find_if(ranked.begin(), ranked.end(), [&](const Choice& choice) {
      return differing(choice.variant, taken.variant) == std::vector{axis};
    });
    if (other == ranked.end()) continue;
    const Period &one = taken.periods.front(), &two = other->periods.front();
    const double percent = 100 * (two.value - one.value) / one.value;
    const double half = std::max(half_percent(one, one), half_percent(two, one));
    answers.push_back({axis, own, other->variant.key.value(axis), percent,
                       !other->same && std::abs(percent) > half, !one.measured || !two.measured,
                       half});
  }
  std::stable_sort(answers.begin(), answers.end(), [](const auto& a, const auto& b) {
    return std::pair(!a.matters, -a.percent) < std::pair(!b.matters, -b.percent);
  });
  return answers;
}

std::vector<StageCount> by_stages(const std::vector<Choice>& ranked, std::size_t first) {
  std::vector<StageCount> counts;
  const auto others = [](const Variant& variant) {
    launch::KeyAxes axes = variant.named;
    std::erase_if(axes, [](const auto& axis) { return axis.first == "num_stages"; });
    return axes;
  };
  const launch::KeyAxes own = others(ranked[first].variant);
  for (const Choice& choice : ranked)
    if (others(choice.variant) == own)
      counts.push_back({stages_of(choice.variant), choice.periods.front()});
  std::sort(counts.begin(), counts.end(),
            [](const auto& a, const auto& b) { return a.stages < b.stages; });
  return counts;
}

std::string differences(const Variant& other, const Variant& variant) {
  std::vector<std::string> all;
  for (const std::string& axis : differing(other, variant))
    all.push_back(
        fmt::format("{} {} for {}", axis, other.key.value(axis), variant.key.value(axis)));
  return fmt::format("{}", fmt::join(all, ", "));
}

}  // namespace phasebit::join::advise
