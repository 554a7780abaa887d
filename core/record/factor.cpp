#include "core/record/factor.h"

#include <string_view>

#include <fmt/ranges.h>

namespace phasebit::record {

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
