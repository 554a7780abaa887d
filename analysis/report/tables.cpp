#include "analysis/report/tables.h"

#include "analysis/report/data/figures.h"
#include "analysis/report/sql/run_table.h"
#include "analysis/report/sql/views.h"
#include "core/base/text.h"

#include <algorithm>

#include <fmt/ranges.h>

namespace phasebit::report {

using base::Cell;
using base::nearest_word_hint;
using data::shown;
using data::TableArguments;

namespace {

std::string device_of(const TableSource& source, bool all_gpus) {
  return source.device.empty() ? source.database.default_device(source.published, all_gpus)
                               : source.device;
}

using Named = std::vector<std::pair<std::string, std::string>>;

Result<std::string> pick(const Named& named, const std::string& field) {
  std::vector<std::string> names;
  for (const auto& [name, text] : named) {
    if (name == field) return text;
    names.push_back(name);
  }
  return with_hint(fail(Step::usage, "no field '{}'", field), nearest_word_hint(field, names));
}

constexpr const char* figure_query =
    "SELECT quantity, reason, cycles, half, low, high, intercept, mhz, rounds, repetitions, "
    "substr(sass_class, 1, 8) FROM figure WHERE id = ? AND newest AND kind <> 'modes' "
    "AND quantity <> 'without_loop' ORDER BY f";

// A list of the first dozen of a thousand ids would not help.
tl::unexpected<Error> no_variant(SQLite::Database& sqlite, const std::string& id) {
  std::vector<std::string> ids;
  SQLite::Statement row(sqlite, "SELECT DISTINCT id FROM figure WHERE kind <> 'modes'");
  while (row.executeStep()) ids.push_back(row.getColumn(0).getString());
  const std::string hint = nearest_word_hint(id, ids);
  return with_hint(fail(Step::usage, "the results have no variant '{}'", id),
                   hint.rfind("did you", 0) == 0 ? hint : "");
}

Named fields_of(SQLite::Statement& row) {
  const auto number = [&](int n) { return row.getColumn(n).getDouble(); };
  const double cycles = number(2), width = number(3);
  return {{"cycles", shown(cycles, width)},
          {"interval", data::shown_with_interval(cycles, width)},
          {"half_width", shown(width, width)},
          {"low", shown(number(4), width)},
          {"high", shown(number(5), width)},
          {"intercept", shown(number(6), 1)},
          {"megahertz", row.getColumn(7).isNull() ? "-" : shown(number(7), 1)},
          {"rounds", row.getColumn(8).getString()},
          {"repetitions", row.getColumn(9).getString()},
          {"sass_class", row.getColumn(10).getString()}};
}

Result<std::string> figure_of_variant(SQLite::Database& sqlite, const std::string& id,
                                      const std::string& field) {
  SQLite::Statement row(sqlite, figure_query);
  row.bind(1, id);
  Named fields;
  std::string reason;
  while (row.executeStep()) {
    const std::string quantity = row.getColumn(0).getString();
    if (quantity == "cycles") {
      fields = fields_of(row);
      reason = row.getColumn(1).getString();
    } else {
      fields.emplace_back(quantity, data::shown_with_interval(row.getColumn(2).getDouble(),
                                                              row.getColumn(3).getDouble()));
    }
  }
  if (fields.empty()) return no_variant(sqlite, id);
  PHASEBIT_TRY_ASSIGN(text, pick(fields, field));
  if (!reason.empty()) return fail(Step::store, "{} has no figure: {}", id, reason);
  return text;
}

Result<std::string> figure_of_all(const TableSource& source, const std::string& field) {
  PHASEBIT_TRY_ASSIGN(counts, make_table(source, "counts", {}));
  Named fields;
  for (size_t n = 0; n < counts.columns.size(); ++n)
    fields.emplace_back(counts.columns[n].title, counts.rows[0][n].text);
  return pick(fields, field);
}

}  // namespace

Result<std::vector<ReportTable>> report_tables(const fs::path& folder) {
  PHASEBIT_TRY_ASSIGN(files, sql::read_tables(folder));
  std::vector<ReportTable> tables;
  for (const sql::TableFile& file : files)
    tables.push_back({file.name, file.argument_words(), file.doc});
  return tables;
}

Result<base::Table> make_table(const TableSource& source, const std::string& name,
                               const TableArguments& arguments) {
  PHASEBIT_TRY_ASSIGN(file, sql::read_table(source.folder, name));
  return sql::run_table(source.database, file, device_of(source, file.all_gpus), arguments,
                        source.axes);
}

Result<std::string> make_figure(const TableSource& source, const TableArguments& arguments) {
  std::string variant, field;
  for (const auto& [name, value] : arguments) {
    if (name != "variant" && name != "field")
      return with_hint(fail(Step::usage, "a figure has no argument '{}'", name),
                       nearest_word_hint(name, {"variant", "field"}));
    (name == "variant" ? variant : field) = value;
  }
  if (field.empty()) return with_hint(fail(Step::usage, "a figure without field="), "field=cycles");
  if (variant.empty()) return figure_of_all(source, field);
  PHASEBIT_TRY_ASSIGN(g, source.database.gpus(device_of(source, false)));
  sql::make_views(source.database.sqlite(), g, source.axes);
  return figure_of_variant(source.database.sqlite(), variant, field);
}

namespace {

bool is_figure(const Cell& cell) {
  return cell.value && cell.half_width;
}

struct Range {
  const Cell *lowest = nullptr, *highest = nullptr;
};

Range range_of(const base::Table& table, std::size_t column) {
  Range range;
  for (const auto& row : table.rows) {
    const Cell& cell = row[column];
    if (!is_figure(cell)) continue;
    if (range.lowest == nullptr || *cell.value < *range.lowest->value) range.lowest = &cell;
    if (range.highest == nullptr || *cell.value > *range.highest->value) range.highest = &cell;
  }
  return range;
}

std::string text_of(const Range& range) {
  const auto text = [](const Cell& cell) { return data::shown(*cell.value, *cell.half_width); };
  const std::string low = text(*range.lowest), high = text(*range.highest);
  return low == high ? low : fmt::format("{} to {}", low, high);
}

bool has_figure(const std::vector<Cell>& row) {
  return std::any_of(row.begin(), row.end(), is_figure);
}

}  // namespace

Result<std::string> range_sentence(const base::Table& table) {
  std::vector<std::string> parts;
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    const Range range = range_of(table, column);
    if (range.lowest == nullptr) continue;
    parts.push_back(fmt::format("**{}**{} {}", text_of(range), parts.empty() ? " cycles" : "",
                                table.columns[column].title));
  }
  if (parts.empty()) return fail(Step::usage, "the table has no figures");
  const auto without = std::count_if(table.rows.begin(), table.rows.end(),
                                     [](const auto& row) { return !has_figure(row); });
  const std::string rest =
      without == 0 ? ""
                   : fmt::format("; without a figure: {} of {} rows", without, table.rows.size());
  return fmt::format("{}{}.", fmt::join(parts, ", "), rest);
}

}  // namespace phasebit::report
