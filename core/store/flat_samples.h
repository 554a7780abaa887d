// Raw samples as a file of their own: flat.h says what is in it.
#pragma once

#include "core/base/file.h"
#include "core/record/record.h"

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace phasebit::store {

// "core.csv.zst" -> "core.samples.csv.zst"; none for a name that does not end in .csv or .csv.zst.
std::optional<fs::path> samples_path(const fs::path& results);

bool is_samples_file(const fs::path& path);

// Of the points that have samples; the number of a point is its place.
std::string samples_csv(const std::vector<record::PointRow>& points);

// What the rows of results say of their samples.
struct SampleRow {
  std::size_t point = 0;      // its place
  std::uint64_t samples = 0;  // how many the file has of it
};
// `rows` by the column `point`.
Status read_samples(const fs::path& path, const std::unordered_map<std::uint64_t, SampleRow>& rows,
                    std::vector<record::PointRow>& points);

}  // namespace phasebit::store
