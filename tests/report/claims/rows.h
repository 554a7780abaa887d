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
inline report::claims::ClaimRow claim_row(report::claims::RowAxes axes, double value,
                                          double half_width = 0, double floor = 0) {
  report::claims::ClaimRow row;
  row.axes = std::move(axes);
  row.axes.emplace_back("device", "NVIDIA H200");
  row.axes.emplace_back("ptxas", "13.5.37");
  std::sort(row.axes.begin(), row.axes.end());
  for (const auto& [axis, word] : row.axes)
    if (axis != "device" && axis != "ptxas") row.figure.id += "/" + axis.text() + "=" + word.text();
  row.ids = {row.figure.id};
  row.code = row.figure.id;
  row.figure.value = value;
  row.figure.half_width = half_width;
  row.floor = floor;
  return row;
}

inline report::claims::ClaimRow flagged(report::claims::ClaimRow row,
                                        std::vector<results::Flag> flags) {
  row.figure.flags = std::move(flags);
  return row;
}

// One claim: the keys that every one has, and these.
inline report::claims::Claim claim_of(const std::string& keys) {
  auto claims = report::claims::parse_claims(
      "[[claim]]\nname = \"one\"\n" +
          std::string(keys.find("\nwhere") == std::string::npos ? "where = { probe = \"ring\" }\n"
                                                                : "") +
          std::string(keys.find("question") == std::string::npos
                          ? "question = { probe = \"ring\" }\n"
                          : "") +
          (keys.find("kind") == std::string::npos ? "kind = \"observation\"\n" : "") + keys,
      "some.toml");
  EXPECT_TRUE(claims) << (claims ? "" : claims.error().text());
  return claims ? claims->front() : report::claims::Claim();
}

inline report::claims::Verdict verdict_of(const report::claims::Claim& claim,
                                          const std::vector<report::claims::ClaimRow>& rows) {
  return report::claims::judge(claim, report::claims::cases_of(claim, rows, false));
}

}  // namespace phasebit::test
