#include "core/record/conditions.h"

#include "core/record/record.h"

#include <algorithm>
#include <string_view>

#include <fmt/ranges.h>

namespace phasebit::record {

int Conditions::numbered(int launched) const {
  const int number = std::max(0, launched - first_warp);
  return number < gap_after + gap_warps ? std::min(number, gap_after) : number - gap_warps;
}

std::vector<std::string> words_of(const Conditions& conditions) {
  std::vector<std::string> words;
  if (conditions.start_offset != 0)
    words.push_back(fmt::format("start_offset:{}", conditions.start_offset));
  if (conditions.padding != 0) words.push_back(fmt::format("padding:{}", conditions.padding));
  if (conditions.gap_warps != 0)
    words.push_back(fmt::format("gap:{}@{}", conditions.gap_warps, conditions.gap_after));
  return words;
}

std::string factor_of(const PointRow& row, const PointRow& first) {
  const Conditions &own = row.conditions, &base = first.conditions;
  std::vector<std::string_view> changed;
  if (own.start_offset != base.start_offset) changed.emplace_back("start offset");
  if (own.sm != base.sm || row.sms != first.sms) changed.emplace_back("SM");
  if (own.first_warp != base.first_warp) changed.emplace_back("sub-partition");
  if (own.gap_after != base.gap_after || own.gap_warps != base.gap_warps)
    changed.emplace_back("roles on one sub-partition");
  if (own.padding != base.padding) changed.emplace_back("padding");
  return changed.empty() ? "seed" : fmt::format("{}", fmt::join(changed, "+"));
}

}  // namespace phasebit::record
