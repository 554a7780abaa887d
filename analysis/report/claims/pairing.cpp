#include "analysis/report/claims/pairing.h"

#include "core/base/text.h"

#include <algorithm>
#include <map>
#include <set>

namespace phasebit::report::claims {

using base::contains;

namespace {

bool names(const Claim& claim, const std::string& axis) {
  return claim.where.names(axis) || claim.a.names(axis) || claim.b.names(axis);
}

bool is_meant(const Claim& claim, const ClaimRow& row, bool every_device) {
  if (!every_device && !claim.speaks_of(*axis_of(row.axes, "device"))) return false;
  if (!axis_of(row.axes, "ptxas")->starts_with(claim.ptxas)) return false;
  return std::all_of(row.own.begin(), row.own.end(), [&](const std::string& axis) {
    return names(claim, axis) || (axis == "ptxas" && !claim.ptxas.empty());
  });
}

bool holds_when(const Claim& claim, const ClaimRow& row) {
  if (claim.when.empty()) return true;
  const auto value = claim.when.value([&](const std::string& axis) -> std::optional<double> {
    const std::string* word = axis_of(row.axes, axis);
    return word == nullptr ? std::nullopt : base::number_in(*word);
  });
  return value && *value > 0;
}

// Why a row that is meant cannot be used; "" when it can.
std::string unusable(const Claim& claim, const data::Figure& figure) {
  if (!figure.reason.empty()) return figure.reason.text;
  using Kind = record::Flag::Kind;
  for (const record::Flag& flag : figure.flags) {
    const bool spoils = flag.kind == Kind::not_linear || flag.kind == Kind::modes ||
                        flag.kind == Kind::interval_too_wide;
    // Of another figure of the row than the one that is spoken of.
    const bool of_this = flag.of.empty() || flag.of == claim.figure;
    if (spoils && of_this && !contains(claim.accepts, std::string(record::word_of(flag.kind))))
      return "flagged " + record::word_of(flag);
  }
  return {};
}

bool is_free(const Claim& claim, const std::string& axis) {
  if (axis == ran_on_axis && !contains(claim.equal, axis)) return true;
  if (axis == gpu_axis && claim.a.names("device")) return true;
  return contains(claim.free, axis) || claim.a.names(axis) || claim.b.names(axis);
}

// The axes in which two rows that are compared must agree: those that both have. An axis that no
// component declares is there, empty, in all.
std::vector<std::string> common_axes(const Claim& claim, const ClaimRow& a, const ClaimRow& b) {
  std::vector<std::string> common;
  for (const auto& [axis, value] : a.axes)
    if (!is_free(claim, axis) && (axis_of(b.axes, axis) != nullptr || contains(a.own, axis)))
      common.push_back(axis);
  for (const std::string& axis : b.own)
    if (!contains(common, axis) && !is_free(claim, axis)) common.push_back(axis);
  return common;
}

std::string key_of(const ClaimRow& row, const std::vector<std::string>& axes) {
  std::string key;
  for (const std::string& axis : axes) {
    const std::string* value = axis_of(row.axes, axis);
    key += (value == nullptr ? "" : *value) + '\n';
  }
  return key;
}

// Rows that have the same axes, whatever their values, agree in the same ones with others.
std::string shape_of(const ClaimRow& row) {
  std::string shape;
  for (const auto& [axis, value] : row.axes) shape.append(axis.text()).append("\n");
  return shape;
}

using Rows = std::vector<size_t>;

std::map<std::string, Rows> by_shape(const std::vector<ClaimRow>& rows, const Rows& chosen) {
  std::map<std::string, Rows> shapes;
  for (const size_t row : chosen) shapes[shape_of(rows[row])].push_back(row);
  return shapes;
}

void compare_all(const Claim& claim, const Rows& of_a, const Rows& of_b, ClaimCases& out) {
  std::set<size_t> compared;
  const auto shapes_a = by_shape(out.rows, of_a), shapes_b = by_shape(out.rows, of_b);
  for (const auto& [shape, some_a] : shapes_a)
    for (const auto& [other, some_b] : shapes_b) {
      const auto axes = common_axes(claim, out.rows[some_a.front()], out.rows[some_b.front()]);
      std::map<std::string, Rows> found;
      for (const size_t b : some_b) found[key_of(out.rows[b], axes)].push_back(b);
      for (const size_t a : some_a) {
        const auto partners = found.find(key_of(out.rows[a], axes));
        if (partners == found.end()) continue;
        for (const size_t b : partners->second) {
          if (a == b) continue;
          out.cases.push_back({a, b});
          compared.insert({a, b});
        }
      }
    }
  for (const Rows* rows : {&of_a, &of_b})
    for (const size_t row : *rows)
      if (compared.insert(row).second) out.left_out.push_back({row, "nothing to compare with"});
}

}  // namespace

ClaimCases cases_of(const Claim& claim, const std::vector<ClaimRow>& rows, bool every_device) {
  ClaimCases out;
  Rows of_a, of_b;
  for (const ClaimRow& row : rows) {
    if (!claim.where.matches(row.axes) || !is_meant(claim, row, every_device)) continue;
    const bool in_a = claim.a.matches(row.axes) && holds_when(claim, row);
    const bool in_b = claim.pairs && claim.b.matches(row.axes);
    if (!in_a && !in_b) continue;
    const size_t number = out.rows.size();
    out.rows.push_back(row);
    if (const std::string why = unusable(claim, row.figure); !why.empty()) {
      out.left_out.push_back({number, why});
      continue;
    }
    if (in_a) of_a.push_back(number);
    if (in_b) of_b.push_back(number);
  }
  if (claim.pairs)
    compare_all(claim, of_a, of_b, out);
  else
    for (const size_t row : of_a) out.cases.push_back({row, std::nullopt});
  return out;
}

}  // namespace phasebit::report::claims
