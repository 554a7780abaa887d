#include "analysis/report/claims/against.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace phasebit::report::claims {
namespace {

// A control is meant by what else the claim selects.
bool is_control(const Claim& claim, const ClaimRow& row) {
  return claim.against.matches(row.axes) &&
         std::all_of(
             claim.where.tests().begin(), claim.where.tests().end(), [&](const AxisTest& test) {
               const std::string* value = axis_of(row.axes, test.axis);
               return value != nullptr && (claim.against.names(test.axis) || test.holds(*value));
             });
}

std::string key_of(const Claim& claim, const ClaimRow& row) {
  std::string key;
  for (const auto& [axis, value] : row.axes)
    if (!claim.against.names(axis))
      key.append(axis.text()).append("=").append(value.text()).append("\n");
  return key;
}

ClaimRow joined(const Claim& claim, const ClaimRow& row, const ClaimRow& control) {
  ClaimRow out = row;
  const double base = std::abs(control.figure.value);
  out.floor = row.floor + control.floor;
  if (claim.against_as == AgainstAs::difference) {
    out.figure = data::difference(row.figure, control.figure);
  } else {
    out.figure = data::change_percent(row.figure, control.figure);
    if (base > 0) out.floor = 100 * out.floor / base;
  }
  out.ids.insert(out.ids.end(), control.ids.begin(), control.ids.end());
  return out;
}

}  // namespace

std::vector<ClaimRow> against_control(const Claim& claim, const std::vector<ClaimRow>& rows) {
  std::vector<ClaimRow> out;
  std::unordered_map<std::string, const ClaimRow*> controls;
  for (const ClaimRow& row : rows)
    if (is_control(claim, row)) controls[key_of(claim, row)] = &row;
  for (const ClaimRow& row : rows) {
    if (!claim.where.matches(row.axes) || claim.against.matches(row.axes)) continue;
    const auto control = controls.find(key_of(claim, row));
    if (control != controls.end()) {
      out.push_back(joined(claim, row, *control->second));
      continue;
    }
    out.push_back(row);
    if (out.back().figure.reason.empty())
      out.back().figure.reason = data::unusable("its control is not there");
  }
  return out;
}

}  // namespace phasebit::report::claims
