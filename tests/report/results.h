// Results for tests: points whose slopes are known by construction.
#pragma once

#include "analysis/report/report.h"
#include "core/base/home.h"
#include "core/results/same_code.h"
#include "gen/space/hand_made.h"
#include "tests/report/keys.h"
#include "tests/results/rows.h"

#include <cmath>

#include <fmt/ranges.h>

namespace phasebit::test {

// Seven rounds with slopes cycles - 1 (twice), cycles (three times), cycles + 1 (twice): the median
// is `cycles`, and so are not the ends of the interval, which with seven rounds is the whole range.
inline results::PointRow measured(const std::string& id, std::uint64_t cycles, int repetition = 0) {
  results::PointRow point = some_point(
      id, repetition, {cycles, cycles - 1, cycles + 1, cycles, cycles + 1, cycles - 1, cycles});
  point.quality = {};
  return point;
}

// All rounds alike: an interval without width.
inline results::PointRow steady(const std::string& id, std::uint64_t cycles, int repetition = 0) {
  results::PointRow point = some_point(id, repetition, std::vector<std::uint64_t>(7, cycles));
  point.quality = {};
  return point;
}

// The same with a slope that need not be whole: cycles times the items of a launch must be.
inline results::PointRow steady_at(const std::string& id, double cycles, int repetition = 0) {
  results::PointRow point = steady(id, 0, repetition);
  for (results::Sample& sample : point.samples) sample.cycles = std::llround(cycles * sample.items);
  return point;
}

// A row that says that its code is the same as that of another variant's.
inline results::PointRow same_code(const std::string& id, const results::PointRow& other) {
  results::PointRow point = other;
  point.variant_id = id;
  point.variant_hash = "hash of " + id;
  point.samples.clear();
  point.quality = {};
  results::set_same_code(point, other.variant_id);
  return point;
}

// The class of another row, measured again in the same repetition.
inline results::PointRow control_of(const results::PointRow& other, std::uint64_t cycles) {
  results::PointRow point = other;
  point.aa_control = true;
  point.samples = steady("", cycles).samples;
  return point;
}

inline results::Results results_of(std::vector<results::PointRow> points) {
  return with_keys({{some_device()}, {some_run()}, std::move(points)});
}

// A variant that has these axes, its measurements apart.
inline results::VariantRow variant_with(const std::string& id, launch::KeyAxes axes) {
  results::VariantRow row;
  row.id = id;
  row.hash = "hash of " + id;
  row.defaults = std::make_shared<const launch::KeyAxes>(std::move(axes));
  return row;
}

inline report::data::VariantKeys keys_of(const std::vector<results::PointRow>& points) {
  return report::data::VariantKeys(results_of(points));
}

inline report::data::VariantAxes axes_of(const std::string& id) {
  return keys_of({some_point(id)}).of(id);
}

inline report::data::Aggregation aggregate(const std::vector<results::PointRow>& points) {
  return report::data::aggregate(points, keys_of(points));
}

inline report::data::ReportData data_of(std::vector<results::PointRow> points) {
  return report::data::report_data(results_of(std::move(points))).value();
}

// That the project declares.
inline const std::vector<std::string>& project_axes() {
  static const auto axes =
      space::axis_names(space::Catalogue::load(base::source_root() / "templates").value());
  return axes;
}

// The tables that the project ships, over results in memory.
struct TestTables {
  report::sql::ReportDatabase database;
  std::string device = {};

  static TestTables of(results::Results results) {
    auto database = report::sql::ReportDatabase::of(std::move(results));
    if (!database) bug(database.error().text());
    return {std::move(*database)};
  }
  static TestTables of(std::vector<results::PointRow> points) {
    return of(results_of(std::move(points)));
  }
  report::TableSource source() {
    return {database, base::source_root() / "analysis" / "report" / "tables",
            device,   false,
            {},       project_axes()};
  }
};

inline Result<base::Table> make_table(results::Results results, const std::string& name,
                                      const report::data::TableArguments& arguments = {},
                                      const std::string& device = {}) {
  PHASEBIT_TRY_ASSIGN(database, report::sql::ReportDatabase::of(std::move(results)));
  TestTables tables{std::move(database), device};
  return report::make_table(tables.source(), name, arguments);
}

inline Result<base::Table> make_table(std::vector<results::PointRow> points,
                                      const std::string& name,
                                      const report::data::TableArguments& arguments = {}) {
  return make_table(results_of(std::move(points)), name, arguments);
}

inline Result<std::string> make_figure(results::Results results,
                                       const report::data::TableArguments& arguments) {
  return report::make_figure(TestTables::of(std::move(results)).source(), arguments);
}

// A table, or why there is none, as text.
inline std::string text_of(const Result<base::Table>& table,
                           base::TableFormat format = base::TableFormat::text) {
  return table ? base::render(*table, format) : table.error().text();
}

// Of files, by the tables that the project ships.
inline report::ReportSource source_of(std::vector<fs::path> results) {
  report::ReportSource source{std::move(results), ""};
  source.tables = base::source_root() / "analysis" / "report" / "tables";
  source.axes = project_axes();
  return source;
}

// The rows of a table as "cell|cell|cell".
inline std::vector<std::string> rows_of(const base::Table& table) {
  std::vector<std::string> rows;
  for (const std::vector<base::Cell>& row : table.rows) {
    std::vector<std::string> words;
    for (const base::Cell& cell : row) words.push_back(cell.text);
    rows.push_back(fmt::format("{}", fmt::join(words, "|")));
  }
  return rows;
}

// Of the table `name`; why there is none in their place.
inline std::vector<std::string> rows_of(std::vector<results::PointRow> points,
                                        const std::string& name,
                                        const report::data::TableArguments& arguments = {}) {
  const auto table = make_table(std::move(points), name, arguments);
  return table ? rows_of(*table) : std::vector{table.error().text()};
}

}  // namespace phasebit::test
