#include "analysis/report/sql/views.h"

#include "analysis/report/data/without_loop.h"
#include "analysis/report/sql/schema.h"
#include "core/base/text.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <sqlite3.h>

namespace phasebit::report::sql {

namespace {

// What the views of figures and points have before any axis.
std::set<std::string> own_columns() {
  SQLite::Database empty(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  empty.exec(report_schema);
  std::set<std::string> columns;
  make_views(empty, 0, {});
  SQLite::Statement row(empty,
                        "SELECT name FROM pragma_table_info('variant') UNION SELECT name FROM "
                        "pragma_table_info('figure') UNION SELECT name FROM "
                        "pragma_table_info('measurement')");
  while (row.executeStep()) columns.insert(row.getColumn(0).getString());
  return columns;
}

// Of one verb in one spelling, without its loop: the limits are those of longest_loop_of.
std::string verb_cost_view() {
  return fmt::format(
      "CREATE TEMP VIEW verb_cost AS SELECT min(v) AS v, protocol, verb, path, reads, spelling, "
      "loading, per_operation(f, n, iif(reads IS 'completion', {}, {}) * "
      "iif(loading = 'loaded', 2, 1)) AS f FROM (SELECT v, protocol, verb, path, reads, "
      "rest(spelled, 'verb path reads load num_stages addressing early_token') AS spelling, "
      "iif(\"load\" = 'busy', 'loaded', 'isolated') AS loading, coalesce(num_stages, 0) AS n, f "
      "FROM figure WHERE kind = 'point' AND quantity = 'cycles' AND probe = 'verb' AND newest "
      "AND declared AND NOT unrolled AND coalesce(reads, '') <> 'together') "
      "GROUP BY protocol, verb, path, reads, spelling, loading",
      data::longest_loop, data::longest_loop_and_last);
}

}  // namespace

std::string sql_name(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + "\"";
}

std::string axis_column(const std::string& axis) {
  static const std::set<std::string> taken = own_columns();
  return taken.contains(axis) ? "axis_" + axis : axis;
}

bool is_whole_number(const std::string& value) {
  constexpr size_t most_digits = 18;
  if (value.empty() || value.size() > most_digits) return false;
  if (value.size() > 1 && value.front() == '0') return false;
  return value.find_first_not_of("0123456789") == std::string::npos;
}

std::string variant_columns(SQLite::Database& sqlite, const std::vector<std::string>& axes) {
  std::string columns;
  std::set<std::string> known;
  SQLite::Statement names(sqlite,
                          "SELECT name FROM pragma_table_info('variant') WHERE name <> 'v'");
  while (names.executeStep()) {
    known.insert(names.getColumn(0).getString());
    columns += fmt::format(", variant.{}", sql_name(names.getColumn(0).getString()));
  }
  for (const std::string& axis : axes)
    if (known.insert(axis_column(axis)).second)
      columns += fmt::format(", NULL AS {}", sql_name(axis_column(axis)));
  return columns;
}

void make_views(SQLite::Database& sqlite, std::int64_t g, const std::vector<std::string>& axes) {
  const std::string figures = fmt::format(
      "SELECT f, figure_row.g, v, kind, quantity, unit, device.uuid AS device, device.name AS "
      "device_name, device.multiprocessors AS sms_of_gpu, text_hash, sass_class, newest, "
      "repetitions, errors, rounds, verdict, reason, same_as, figure_row.cycles, low, high, half, "
      "interval_ok, intercept, r2, worst_residual, nullif(mhz, 0) AS mhz, repetition_difference, "
      "spread, value_groups, factor, replace(words, char(10), ' ') AS words, gpu_sm_mhz, "
      "gpu_memory_mhz, "
      "gpu_watts, run_ptxas, ran_on{} FROM figure_row JOIN variant USING (v) JOIN device USING (d) "
      "JOIN code USING (c)",
      variant_columns(sqlite, axes));
  for (const char* view : {"figure", "every_figure", "verb_cost"})
    sqlite.exec(fmt::format("DROP VIEW IF EXISTS temp.{}", view));
  sqlite.exec(fmt::format("CREATE TEMP VIEW figure AS {} WHERE figure_row.g = {}", figures, g));
  sqlite.exec(fmt::format("CREATE TEMP VIEW every_figure AS {}", figures));
  sqlite.exec(verb_cost_view());
}

FirstStatement look_at(SQLite::Database& sqlite, const std::string& text) {
  sqlite3_stmt* statement = nullptr;
  const char* rest = nullptr;
  sqlite3_prepare_v2(sqlite.getHandle(), text.c_str(), -1, &statement, &rest);
  const bool is_there = statement != nullptr;
  const bool writes = is_there && sqlite3_stmt_readonly(statement) == 0;
  sqlite3_finalize(statement);
  return {is_there, writes,
          rest == nullptr ? text.size() : static_cast<std::size_t>(rest - text.c_str())};
}

std::string sql_hint(SQLite::Database& sqlite, const std::string& what) {
  std::string docs = "docs/report-tables.md has the views, their columns and the functions";
  constexpr std::string_view begins = "no such column: ";
  if (!what.starts_with(begins)) return docs;
  std::vector<std::string> columns;
  SQLite::Statement names(sqlite, "SELECT name FROM pragma_table_info('figure')");
  while (names.executeStep()) columns.push_back(names.getColumn(0).getString());
  const std::string column = what.substr(std::max(begins.size(), what.rfind('.') + 1));
  const std::string nearest = base::nearest_word(column, columns);
  return nearest.empty() ? docs : fmt::format("did you mean '{}'? {}", nearest, docs);
}

}  // namespace phasebit::report::sql
