// Raw samples as lines, and the gzip files that hold them beside a file of results.
#pragma once

#include "core/base/file.h"
#include "core/record/record.h"

#include <string>
#include <string_view>
#include <vector>

namespace phasebit::store::json {

// A line for each point that has samples, with its number among these points.
std::vector<std::string> sample_lines(const std::vector<record::PointRow>& points);

// Adds the samples of one line to its point. Step::store: no JSON, no such point, a point that has
// samples already, readings that do not match its names.
Status read_sample_line(std::string_view line, std::vector<record::PointRow>& points);

// For NAME.jsonl the files NAME.samples-0.jsonl.gz and so on, each below a megabyte; older ones go.
// Their names.
Result<std::vector<std::string>> write_sample_files(const fs::path& results,
                                                    const std::vector<std::string>& lines);

}  // namespace phasebit::store::json
