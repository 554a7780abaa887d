// Results in another form: what `phasebit export` calls.
#pragma once

#include "core/base/file.h"

#include <string>
#include <vector>

namespace phasebit::report {

struct ExportRequest {
  std::vector<fs::path> results;
  // Of variants, and of those that were measured in their place; empty: all.
  std::vector<std::string> ids;
  std::string format;
  // Of "csv" that goes to a file: "all" raw samples, those of the "base" (repetition 0 and
  // anchors), or "none".
  std::string samples = "all";
};

// Rows as "csv" (lossless but for the samples) or "json" (Google Benchmark's). Step::usage for a
// variant that the results have no row of.
Result<std::string> export_results(const ExportRequest& request);

// The same into a file; "csv" is packed where the name ends in .zst, and the raw samples get a file
// of their own next to it (core/results/flat.h).
Status export_results(const ExportRequest& request, const fs::path& out);

}  // namespace phasebit::report
