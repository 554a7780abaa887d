#include "analysis/report/data/conditions.h"

#include "core/base/hash.h"
#include "core/results/statistics.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>

#include <fmt/ranges.h>

namespace phasebit::report::data {

using results::Conditions;
using results::Interval;
using results::median;

namespace {

Interval around(const Interval& a, const Interval& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

// The same in every process, as it is kept with the figures.
std::uint64_t run_number(const std::string& run) {
  constexpr int hexadecimal = 16;
  return run.empty() ? 0 : std::stoull(base::short_hash(run), nullptr, hexadecimal);
}

// What `at` changes against the base; "" of equal ones.
std::string change_of(const Conditions& at, const Conditions& base) {
  results::PointRow row, first;
  row.conditions = at, first.conditions = base;
  return at == base ? std::string() : results::factor_of(row, first);
}

}  // namespace

double AtCondition::half_width() const {
  return std::max(interval.high - value, value - interval.low);
}

const AtCondition* find_condition(const AtConditions& all, const Conditions& at) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.at == at; });
  return found == all.end() ? nullptr : &*found;
}

void ByCondition::add(const results::PointRow& row, double value, const Interval& interval) {
  const std::uint64_t run = run_number(row.run_id);
  Conditions plain = row.conditions;
  plain.gap_after = 0, plain.gap_warps = 0;
  auto known = std::find_if(rows_.begin(), rows_.end(), [&](const Rows& rows) {
    return rows.at == plain && (!of_run_ || rows.run == run);
  });
  if (known == rows_.end()) known = rows_.insert(known, {plain, {}, interval, {}});
  known->run = run;
  known->values.push_back(value);
  known->interval = around(known->interval, interval);
}

AtConditions ByCondition::take() const {
  AtConditions made;
  for (const Rows& rows : rows_)
    made.push_back({rows.at, median(rows.values), rows.interval, rows.run});
  const auto place = [](const AtCondition& one) {
    const Conditions& at = one.at;
    return std::tuple(at.padding, at.start_offset, at.first_warp, at.sm);
  };
  std::stable_sort(made.begin(), made.end(),
                   [&](const auto& a, const auto& b) { return place(a) < place(b); });
  return made;
}

std::string moved_by(const AtConditions& all) {
  const AtCondition* farthest = nullptr;
  double most = 0;
  for (const AtCondition& one : all) {
    const double moved = std::abs(one.value - all.front().value);
    if (moved > most) farthest = &one;
    most = std::max(most, moved);
  }
  return farthest == nullptr ? std::string() : change_of(farthest->at, all.front().at);
}

namespace {

double width_of(const AtConditions& sorted) {
  return sorted.back().value - sorted.front().value;
}

bool are_apart(const AtConditions& below, const AtConditions& above) {
  constexpr double least_cycles = 1, least_share = 0.05, widths = 3;
  const double low = below.back().value, high = above.front().value;
  const double scale = std::max(std::abs(low), std::abs(high));
  return high - low > std::max({least_cycles, least_share * scale,
                                widths * std::max(width_of(below), width_of(above))});
}

// Joins neighbours that are not apart until all are: a joined group is wider, which may put it
// nearer to the next.
void join_near(std::vector<AtConditions>& parts) {
  for (std::size_t n = 1; n < parts.size();) {
    if (are_apart(parts[n - 1], parts[n])) {
      ++n;
      continue;
    }
    parts[n - 1].insert(parts[n - 1].end(), parts[n].begin(), parts[n].end());
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(n));
    n = std::max<std::size_t>(n - 1, 1);
  }
}

Group group_of(AtConditions members) {
  Group group{std::move(members), 0, {}};
  std::vector<double> values;
  group.interval = group.members.front().interval;
  for (const AtCondition& one : group.members) {
    values.push_back(one.value);
    group.interval = around(group.interval, one.interval);
  }
  group.value = median(values);
  return group;
}

bool is_wide(const Group& group) {
  constexpr double rounding = 1e-9;
  return group.interval.high - group.interval.low > widest_span(group.value) + rounding;
}

std::string shown_group(const Group& group) {
  const double half = group.interval.half_width();
  if (is_wide(group))
    return fmt::format("{} to {}", shown(group.interval.low, half),
                       shown(group.interval.high, half));
  return shown(group.value, half);
}

}  // namespace

std::vector<Group> groups_of(const AtConditions& all) {
  constexpr std::size_t most_groups = 3;
  AtConditions sorted = all;
  std::sort(sorted.begin(), sorted.end(),
            [](const auto& a, const auto& b) { return a.value < b.value; });
  std::vector<AtConditions> parts;
  for (const AtCondition& one : sorted) parts.push_back({one});
  join_near(parts);
  if (parts.size() > most_groups) parts = {sorted};
  std::vector<Group> groups;
  for (AtConditions& part : parts) groups.push_back(group_of(std::move(part)));
  std::stable_sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) {
    return a.members.size() > b.members.size();
  });
  return groups;
}

double widest_span(double value) {
  return std::max(1.0, std::abs(value) / 5);
}

std::string changes_of(const Group& group, const Conditions& base) {
  std::vector<std::string> changes;
  for (const AtCondition& one : group.members) {
    std::string change = change_of(one.at, base);
    if (change.empty()) change = "base";
    if (std::find(changes.begin(), changes.end(), change) == changes.end())
      changes.push_back(std::move(change));
  }
  std::sort(changes.begin(), changes.end());
  return fmt::format("{}", fmt::join(changes, ", "));
}

Reason several_values(const AtConditions& all) {
  if (all.empty()) return {};
  const std::vector<Group> groups = groups_of(all);
  if (groups.size() == 1 && !is_wide(groups.front())) return {};
  std::string text = shown_group(groups.front());
  if (groups.size() > 1)
    text += fmt::format(" ({} of {})", groups.front().members.size(), all.size());
  for (std::size_t n = 1; n < groups.size(); ++n)
    text += fmt::format(" | {} ({}: {})", shown_group(groups[n]), groups[n].members.size(),
                        changes_of(groups[n], all.front().at));
  return {Missing::several_values, std::move(text)};
}

}  // namespace phasebit::report::data
