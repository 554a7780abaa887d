#include "core/store/flat_samples.h"

#include "core/base/nearest.h"
#include "core/store/csv_rows.h"
#include "core/store/flat.h"
#include "core/store/flat_columns.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace phasebit::store {

using record::PointRow;
using record::Sample;

namespace {

const std::vector<std::string> columns = {"point", "items", "cycles", "reading_1", "reading_2"};
constexpr std::size_t required_columns = 3;
static_assert(most_readings == 2);

class SampleReader {
 public:
  SampleReader(const std::unordered_map<std::uint64_t, SampleRow>& rows,
               std::vector<PointRow>& points)
      : rows_(rows), points_(points) {}

  Status take(const CsvRows& row) {
    if (row.row() == 0) return take_header(row);
    if (row.size() != column_of_.size())
      return fail(Step::store, "{} fields for {} columns", row.size(), column_of_.size());
    for (std::size_t n = 0; n < row.size(); ++n)
      if (row.changed(n)) PHASEBIT_TRY(take_field(row, n));
    return add_sample();
  }

 private:
  Status take_header(const CsvRows& row) {
    for (std::size_t n = 0; n < row.size(); ++n) {
      const std::string name = row.text(n);
      const auto at = std::ranges::find(columns, name);
      const auto column = static_cast<std::size_t>(at - columns.begin());
      if (at == columns.end())
        return with_hint(fail(Step::store, "column '{}': samples have no such column", name),
                         base::nearest_word_hint(name, columns));
      if (std::ranges::find(column_of_, column) != column_of_.end())
        return fail(Step::store, "column '{}': twice", name);
      column_of_.push_back(column);
    }
    for (std::size_t column = 0; column < required_columns; ++column)
      if (std::ranges::find(column_of_, column) == column_of_.end())
        return fail(Step::store, "no column '{}'", columns[column]);
    return {};
  }
  Status take_field(const CsvRows& row, std::size_t n) {
    const std::size_t column = column_of_[n];
    const std::string text = row.text(n);
    std::uint64_t& value = values_[column];
    null_[column] = row.null(n);
    if (row.null(n) && column >= required_columns) return {};
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool in_range =
        columns[column] != "items" || value <= std::numeric_limits<decltype(Sample::items)>::max();
    if (code == std::errc() && end == text.data() + text.size() && in_range) return {};
    return fail(Step::store, "column '{}': '{}' is not a whole number in range", columns[column],
                text);
  }
  Status add_sample() {
    const auto at = rows_.find(values_[0]);
    if (at == rows_.end())
      return fail(Step::store, "column 'point': the results have no point {}", values_[0]);
    PointRow& point = points_[at->second.point];
    constexpr std::uint64_t most_reserved = 1 << 16;  // the number is only what a row says
    if (point.samples.empty()) point.samples.reserve(std::min(at->second.samples, most_reserved));
    Sample& sample = point.samples.emplace_back();
    sample.items = static_cast<std::uint32_t>(values_[1]);
    sample.cycles = values_[2];
    for (std::size_t n = 0; n < most_readings; ++n) {
      const std::size_t column = required_columns + n;
      if (null_[column] == (n < point.readings.size()))
        return fail(Step::store, "column '{}': point {} has {} readings", columns[column],
                    values_[0], point.readings.size());
      if (!null_[column]) sample.readings.push_back(values_[column]);
    }
    return {};
  }

  const std::unordered_map<std::uint64_t, SampleRow>& rows_;
  std::vector<PointRow>& points_;
  std::vector<std::size_t> column_of_;
  std::array<std::uint64_t, required_columns + most_readings> values_{};
  std::array<bool, required_columns + most_readings> null_{true, true, true, true, true};
};

}  // namespace

bool is_samples_file(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.ends_with(".samples.csv") || name.ends_with(".samples.csv.zst");
}

std::optional<fs::path> samples_path(const fs::path& results) {
  const std::string path = results.string();
  for (const std::string ending : {".csv", ".csv.zst"})
    if (path.ends_with(ending))
      return path.substr(0, path.size() - ending.size()) + ".samples" + ending;
  return std::nullopt;
}

bool is_results_file(const fs::path& path) {
  return samples_path(path).has_value() && !is_samples_file(path);
}

std::string samples_csv(const std::vector<PointRow>& points) {
  std::string text = fmt::format("{}\n", fmt::join(columns, ","));
  for (std::size_t number = 0; number < points.size(); ++number)
    for (const Sample& sample : points[number].samples) {
      text += fmt::format("{},{},{}", number, sample.items, sample.cycles);
      for (std::size_t n = 0; n < most_readings; ++n)
        text += n < sample.readings.size() ? fmt::format(",{}", sample.readings[n]) : ",";
      text += '\n';
    }
  return text;
}

Status read_samples(const fs::path& path, const std::unordered_map<std::uint64_t, SampleRow>& rows,
                    std::vector<PointRow>& points) {
  PHASEBIT_TRY_ASSIGN(content, base::read_file(path));
  SampleReader reader(rows, points);
  PHASEBIT_TRY(
      each_row(path.string(), content, [&](const CsvRows& row) { return reader.take(row); }));
  for (const auto& [number, row] : rows)
    if (points[row.point].samples.size() != row.samples)
      return fail(Step::store, "{}: {} samples of point {}, of which the results count {}",
                  path.string(), points[row.point].samples.size(), number, row.samples);
  return {};
}

}  // namespace phasebit::store
