// What a pass over processes and places found in each variant.
#pragma once

#include "core/record/record.h"

#include <optional>
#include <string>
#include <vector>

namespace phasebit::report::data {

// Of the newest text of a variant.
struct ModeRow {
  std::string id;
  std::size_t places = 0, processes = 0;
  std::size_t modes = 0;  // 0: nothing was measured
  std::string cycles{};   // "41.00 in 40, 49.00 in 8"
  std::optional<double> lowest{}, highest{};
  std::string separators{};  // "SM (0 | 66)"; "no factor alone"
  int failed = 0;            // places
  std::string reason{};      // of the last of them
  std::string sms{};         // on which the GPU placed its cluster
};
std::vector<ModeRow> mode_rows(const record::Rows& points);

}  // namespace phasebit::report::data
