// Rows of claims for tests, and claims from their text.
#pragma once

#include "analysis/report/claims/checked_claims.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace phasebit::test {

// A row with these axes, on a GPU, by the default ptxas.
inline ClaimRow claim_row(RowAxes axes, double value, double half_width = 0, double floor = 0) {
  ClaimRow row;
  row.axes = std::move(axes);
  row.axes.emplace_back("device", "NVIDIA H200");
  row.axes.emplace_back("ptxas", "13.5.37");
  std::sort(row.axes.begin(), row.axes.end());
  for (const auto& [axis, word] : row.axes)
    if (axis != "device" && axis != "ptxas") row.figure.id += "/" + axis + "=" + word;
  row.ids = {row.figure.id};
  row.figure.value = value;
  row.figure.half_width = half_width;
  row.floor = floor;
  return row;
}

inline ClaimRow flagged(ClaimRow row, std::vector<std::string> flags) {
  row.figure.flags = std::move(flags);
  return row;
}

// One claim: the keys that every one has, and these.
inline Claim claim_of(const std::string& keys) {
  auto claims =
      parse_claims("[[claim]]\nname = \"one\"\nwhere = { probe = \"ring\" }\n" + keys, "some.toml");
  EXPECT_TRUE(claims) << (claims ? "" : claims.error().text());
  return claims ? claims->front() : Claim();
}

inline Verdict verdict_of(const Claim& claim, const std::vector<ClaimRow>& rows) {
  return judge(claim, cases_of(claim, rows, false));
}

}  // namespace phasebit::test
