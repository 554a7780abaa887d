#include "core/record/conditions.h"

#include <algorithm>

namespace phasebit::record {
namespace {

constexpr std::string_view start_offset_prefix = "start_offset:", padding_prefix = "padding:",
                           gap_prefix = "gap:";

// The flag with that prefix, or "".
std::string_view flag_of(const PointRow& row, std::string_view prefix) {
  const auto found = std::find_if(row.flags.begin(), row.flags.end(), [&](const std::string& flag) {
    return flag.starts_with(prefix);
  });
  return found == row.flags.end() ? std::string_view() : *found;
}

}  // namespace

std::vector<std::string> condition_flags(const Conditions& conditions) {
  std::vector<std::string> flags;
  if (conditions.start_offset != 0)
    flags.push_back(fmt::format("{}{}", start_offset_prefix, conditions.start_offset));
  if (conditions.padding != 0)
    flags.push_back(fmt::format("{}{}", padding_prefix, conditions.padding));
  if (conditions.gap_warps != 0)
    flags.push_back(fmt::format("{}{}@{}", gap_prefix, conditions.gap_warps, conditions.gap_after));
  return flags;
}

int Conditions::numbered(int launched) const {
  const int number = std::max(0, launched - first_warp);
  return number < gap_after + gap_warps ? std::min(number, gap_after) : number - gap_warps;
}

bool is_condition_flag(std::string_view flag) {
  return flag.starts_with(start_offset_prefix) || flag.starts_with(padding_prefix) ||
         flag.starts_with(gap_prefix);
}

std::string factor_of(const PointRow& row, const PointRow& first) {
  std::vector<std::string> changed;
  const auto differ = [&](std::string_view prefix) {
    return flag_of(row, prefix) != flag_of(first, prefix);
  };
  if (differ(start_offset_prefix)) changed.emplace_back("start offset");
  if (row.placement.sm != first.placement.sm || differ(sms_prefix)) changed.emplace_back("SM");
  if (row.placement.first_warp != first.placement.first_warp) changed.emplace_back("sub-partition");
  if (differ(gap_prefix)) changed.emplace_back("roles on one sub-partition");
  if (differ(padding_prefix)) changed.emplace_back("padding");
  return changed.empty() ? "seed" : fmt::format("{}", fmt::join(changed, "+"));
}

}  // namespace phasebit::record
