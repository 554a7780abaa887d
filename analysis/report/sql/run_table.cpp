#include "analysis/report/sql/run_table.h"

#include "analysis/report/data/figures.h"
#include "analysis/report/data/row_flags.h"
#include "analysis/report/sql/arguments.h"
#include "analysis/report/sql/figures.h"
#include "analysis/report/sql/views.h"
#include "core/base/text.h"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <sqlite3.h>

namespace phasebit::report::sql {

using base::Cell;
using base::Table;

namespace {

enum class How { text, figure, noted, number, half, after, hidden, note, across };

struct QueryColumn {
  std::string title;
  bool may_go = false;  // where no row has it
  How how = How::text;
  std::string format;  // of fmt
  bool has_half = false;
  bool is_cell = false;
};

QueryColumn column_of(const std::string& name) {
  QueryColumn column;
  const size_t bar = name.rfind('|');
  column.may_go = name.starts_with('?');
  column.title = name.substr(column.may_go ? 1 : 0, bar - (column.may_go ? 1 : 0));
  if (name == "across") column.how = How::across;
  if (name.starts_with('_')) column.how = name == "_note" ? How::note : How::hidden;
  if (bar == std::string::npos) return column;
  const std::string how = name.substr(bar + 1);
  column.is_cell = column.title.empty();
  if (how == "figure") {
    column.how = How::figure;
  } else if (how == "noted") {
    column.how = How::noted;
  } else if (how == "half" || how == "high") {
    column.how = How::half;
  } else if (how == "after") {
    column.how = How::after;
  } else {
    column.how = How::number;
    column.format = how.find('{') == std::string::npos && how != "±" && how != "n"
                        ? fmt::format("{{:{}}}", how)
                        : how;
  }
  return column;
}

bool is_shown(How how) {
  return how != How::half && how != How::after && how != How::hidden && how != How::note &&
         how != How::across;
}

bool is_right_aligned(How how) {
  return how == How::figure || how == How::noted || how == How::number;
}

// Formats of a number and its half width that are not fmt's.
const std::map<std::string, std::string (*)(double, double)>& own_formats() {
  static const std::map<std::string, std::string (*)(double, double)> formats = {
      {"±", data::shown_with_interval},
      {"{:interval}", data::shown_with_interval},
      {"{:shown}", data::shown},
      {"{:percent}", [](double number, double) { return data::shown_percent(number); }}};
  return formats;
}

// A row as the query gives it.
struct QueryRow {
  std::vector<std::optional<Cell>> cells;  // of the query's columns, those that are not figures
  std::vector<std::optional<std::int64_t>> figures;
  std::map<std::string, std::pair<Cell, std::optional<std::int64_t>>> across;
  std::vector<std::string> notes;
};

class TableMaker {
 public:
  TableMaker(SQLite::Database& sqlite, QueryFigures& figures, const TableFile& file,
             const BoundTable& bound)
      : figures_(figures), file_(file), bound_(bound), query_(sqlite, bound.sql) {}

  Result<Table> make() {
    PHASEBIT_TRY(bind_values());
    PHASEBIT_TRY(read_columns());
    while (query_.executeStep()) PHASEBIT_TRY(read_row());
    for (size_t n = 0; n < columns_.size(); ++n)
      if (columns_[n].may_go && std::none_of(rows_.begin(), rows_.end(), [n](const QueryRow& row) {
            return row.figures[n] || row.cells[n];
          }))
        columns_[n].how = How::hidden;
    // Without any run of the table's kind the answer is not "nothing".
    const bool no_runs = !file_.runs.empty() && bound_.values.at("g") == "0";
    if (rows_.empty() && (no_runs || !file_.may_be_empty))
      return with_hint(fail(Step::usage, "{}{}", with_values(file_.none), under_where()),
                       file_.hint);
    return lay_out();
  }

 private:
  // What the table asks for though no argument did.
  std::string under_where() const {
    if (bound_.of_file.empty()) return {};
    return fmt::format(" (the table's [where]: {}; an argument changes it)",
                       fmt::join(bound_.of_file, " "));
  }

  // ":num_stages slots" with the argument's value.
  std::string with_values(std::string text) const {
    for (const auto& [name, value] : bound_.values)
      for (size_t at = 0; (at = text.find(":" + name, at)) != std::string::npos; at += value.size())
        text.replace(at, name.size() + 1, value);
    return text;
  }

  Status bind_values() {
    for (const auto& [name, value] : bound_.values) {
      const int index = query_.getIndex((":" + name).c_str());
      if (index == 0) continue;
      const auto number = base::number_in(value);
      if (!number)
        query_.bind(index, value);
      else if (*number == static_cast<double>(static_cast<std::int64_t>(*number)))
        query_.bind(index, static_cast<std::int64_t>(*number));
      else
        query_.bind(index, *number);
    }
    return {};
  }

  // fmt says what is not a format by an exception alone.
  static bool is_format(const std::string& format) try {
    static_cast<void>(fmt::format(fmt::runtime(format), 0.0));
    return true;
  } catch (const fmt::format_error&) {
    return format == "{:range}" || own_formats().contains(format);
  }

  Status read_columns() {
    for (int n = 0; n < query_.getColumnCount(); ++n) {
      columns_.push_back(column_of(query_.getColumnName(n)));
      if (const QueryColumn& column = columns_.back();
          column.how == How::number && !is_format(column.format))
        return with_hint(fail(Step::spec, "{}: column '{}': no format '{}'", file_.file,
                              column.title, column.format),
                         "docs/report-tables.md has the formats");
      if (n > 0 && columns_.back().how == How::half)
        columns_[static_cast<size_t>(n) - 1].has_half = true;
      if (columns_.back().how == How::across) across_ = n;
      if (columns_.back().title == "_order") order_ = n;
    }
    return {};
  }

  static Cell plain_cell(const SQLite::Column& value) {
    if (value.isNull()) return {};
    return {value.getString()};
  }

  Cell number_cell(int n) {
    const SQLite::Column value = query_.getColumn(n);
    if (value.isNull()) return {};
    if (value.isText()) return {value.getString()};
    const QueryColumn& column = columns_[static_cast<size_t>(n)];
    std::optional<double> half;
    if (column.has_half && !query_.getColumn(n + 1).isNull())
      half = query_.getColumn(n + 1).getDouble();
    const double number = value.getDouble();
    std::string text;
    const auto own = own_formats().find(column.format);
    if (column.format == "n")
      text = value.getString();
    else if (own != own_formats().end())
      text = own->second(number, half.value_or(0));
    else if (column.format == "{:range}")
      return range_cell(number, half.value_or(0), query_.getColumn(n + 2).getDouble());
    else
      text = fmt::format(fmt::runtime(column.format), number);
    return {text, number, column.format == "±" ? half : std::nullopt};
  }

  // "41.00 to 43.00", with the digits of the widest figure between.
  static Cell range_cell(double low, double width, double high) {
    const std::string first = data::shown(low, width), last = data::shown(high, width);
    return {first == last ? first : fmt::format("{} to {}", first, last), (low + high) / 2,
            (high - low) / 2 + width};
  }

  Cell cell_of(int n) {
    const QueryColumn& column = columns_[static_cast<size_t>(n)];
    return column.how == How::number ? number_cell(n) : plain_cell(query_.getColumn(n));
  }

  // The row of the same key, or a new one.
  QueryRow& row_of_key() {
    if (across_ < 0) return rows_.emplace_back();
    std::string key;
    for (int n = 0; n < across_; ++n)
      if (columns_[static_cast<size_t>(n)].how != How::hidden)
        key += query_.getColumn(n).getString() + '\n';
    const auto [known, is_new] = by_key_.emplace(key, rows_.size());
    return is_new ? rows_.emplace_back() : rows_[known->second];
  }

  Status read_row() {
    QueryRow& row = row_of_key();
    row.cells.resize(columns_.size());
    row.figures.resize(columns_.size());
    for (int n = 0; n < query_.getColumnCount(); ++n) {
      const auto at = static_cast<size_t>(n);
      const SQLite::Column value = query_.getColumn(n);
      const How how = columns_[at].how;
      if (how == How::after && !value.isNull()) add_after(row, at, value.getString());
      if (how == How::note && !value.isNull()) row.notes.push_back(value.getString());
      if (!is_shown(how) || value.isNull()) continue;
      std::optional<std::int64_t> figure;
      Cell cell;
      if (how == How::figure || how == How::noted) {
        if (!value.isInteger() || !figures_.at(value.getInt64()).is_there)
          return fail(Step::spec, "{}: column '{}': {} is the number of no figure", file_.file,
                      columns_[at].title, value.getString());
        figure = value.getInt64();
      }
      if (!figure) cell = cell_of(n);
      if (columns_[at].is_cell && across_ >= 0)
        PHASEBIT_TRY(put_across(row, cell, figure));
      else
        PHASEBIT_TRY(put(row, at, cell, figure));
    }
    return {};
  }

  // To the text of the number before it, whose half width may be between.
  void add_after(QueryRow& row, size_t at, const std::string& text) const {
    while (at > 0 && !is_shown(columns_[--at].how)) {
    }
    if (row.cells[at] && row.cells[at]->value) row.cells[at]->text += text;
  }

  std::string called(const Cell& cell, const std::optional<std::int64_t>& figure) {
    return figure ? figures_.at(*figure).figure.id : cell.text;
  }

  Status put_across(QueryRow& row, const Cell& cell, const std::optional<std::int64_t>& figure) {
    const std::string title = query_.getColumn(across_).getString();
    const auto [known, is_new] = row.across.emplace(title, std::pair(cell, figure));
    if (!base::contains(titles_, title)) titles_.push_back(title);
    if (order_ >= 0) title_order_[title] = query_.getColumn(order_).getString();
    if (is_new) return {};
    return collision(called(known->second.first, known->second.second), called(cell, figure));
  }

  Status put(QueryRow& row, size_t at, const Cell& cell,
             const std::optional<std::int64_t>& figure) {
    const bool same =
        row.figures[at] == figure && (figure || row.cells[at].value_or(cell).text == cell.text);
    if ((row.figures[at] || row.cells[at]) && !same)
      return collision(called(row.cells[at].value_or(Cell()), row.figures[at]),
                       called(cell, figure));
    row.figures[at] = figure;
    if (!figure) row.cells[at] = cell;
    return {};
  }

  static Status collision(const std::string& one, const std::string& other) {
    return tl::unexpected<Error>(two_in_one_cell(one, other));
  }

  std::vector<std::string> across_titles() const {
    std::vector<std::string> titles;
    for (const std::string& title : bound_.across)
      if (file_.every_column || std::any_of(rows_.begin(), rows_.end(), [&](const QueryRow& row) {
            return row.across.contains(title);
          }))
        titles.push_back(title);
    if (!bound_.across.empty()) return titles;
    titles = titles_;
    std::stable_sort(titles.begin(), titles.end(), [&](const auto& a, const auto& b) {
      return title_order_.contains(a) && title_order_.at(a) < title_order_.at(b);
    });
    return titles;
  }

  Table lay_out() {
    Table table;
    table.sentences_only = file_.sentences;
    const std::vector<std::string> titles =
        across_ < 0 ? std::vector<std::string>() : across_titles();
    for (const QueryColumn& column : columns_) {
      if (!is_shown(column.how)) continue;
      if (column.is_cell && across_ >= 0)
        for (const std::string& title : titles)
          table.columns.push_back({title, is_right_aligned(column.how)});
      else
        table.columns.push_back({column.title, is_right_aligned(column.how)});
    }
    if (!file_.legend.empty()) table.notes.push_back(file_.legend);
    for (const std::string& title : titles)
      if (const auto why = bound_.blank.find(title);
          why != bound_.blank.end() &&
          std::none_of(rows_.begin(), rows_.end(),
                       [&](const auto& row) { return row.across.contains(title); }))
        table.notes.push_back(fmt::format("{}: {}", title, why->second));
    std::vector<std::string> flags;
    for (const QueryRow& row : rows_) flags.push_back(add_row(row, titles, table));
    data::add_flags_column(table, flags);
    return table;
  }

  // The flags of the row.
  std::string add_row(const QueryRow& row, const std::vector<std::string>& titles, Table& table) {
    data::RowFlags flags;
    std::vector<Cell>& cells = table.rows.emplace_back();
    for (size_t n = 0; n < columns_.size(); ++n) {
      const QueryColumn& column = columns_[n];
      if (!is_shown(column.how)) continue;
      if (!column.is_cell || across_ < 0) {
        cells.push_back(
            shown_cell(column.how, column.title, row.cells[n], row.figures[n], flags, table.notes));
        continue;
      }
      for (const std::string& title : titles) {
        const auto found = row.across.find(title);
        cells.push_back(found == row.across.end()
                            ? Cell(file_.absent)
                            : shown_cell(column.how, title, found->second.first,
                                         found->second.second, flags, table.notes));
      }
    }
    for (const std::string& note : row.notes)
      if (!base::contains(table.notes, note)) table.notes.push_back(note);
    return flags.text();
  }

  Cell shown_cell(How how, const std::string& title, const std::optional<Cell>& cell,
                  const std::optional<std::int64_t>& figure, data::RowFlags& flags,
                  std::vector<std::string>& notes) {
    if (!figure) return cell.value_or(Cell(file_.absent));
    const data::Figure& known = figures_.at(*figure).figure;
    return how == How::figure ? data::flagged_cell(title, known, flags, notes)
                              : data::figure_cell(known, notes);
  }

  QueryFigures& figures_;
  const TableFile& file_;
  const BoundTable& bound_;
  SQLite::Statement query_;
  std::vector<QueryColumn> columns_;
  int across_ = -1;  // the column of that name
  // Its values, in the order in which they came, or of the column _order.
  std::vector<std::string> titles_;
  std::map<std::string, std::string> title_order_;
  int order_ = -1;
  std::vector<QueryRow> rows_;
  std::map<std::string, size_t> by_key_;
};

// "file:line: what": the line of the query where SQLite stopped.
Error sql_error(SQLite::Database& sqlite, const TableFile& table, const std::string& sql,
                const std::string& what) {
  int line = table.sql_line;
  const int offset = sqlite3_error_offset(sqlite.getHandle());
  if (offset > 0) line += static_cast<int>(std::count(sql.begin(), sql.begin() + offset, '\n'));
  return {Step::spec, fmt::format("{}:{}: {}", table.file, line, what), sql_hint(sqlite, what)};
}

// The table that stands for this one where `rows` asks for it.
const std::string* other_table(const TableFile& table, const data::TableArguments& arguments) {
  for (const auto& [name, value] : arguments)
    for (const auto& [rows, other] : table.instead)
      if (name == "rows" && value == rows) return &other;
  return nullptr;
}

data::TableArguments without_rows(data::TableArguments arguments) {
  std::erase_if(arguments, [](const auto& one) { return one.first == "rows"; });
  return arguments;
}

}  // namespace

Result<Table> run_table(ReportDatabase& database, const TableFile& table, const std::string& device,
                        const data::TableArguments& arguments,
                        const std::vector<std::string>& axes) {
  PHASEBIT_TRY_ASSIGN(g, database.gpus(device, table.runs));
  if (const std::string* other = other_table(table, arguments)) {
    PHASEBIT_TRY_ASSIGN(file, read_table(fs::path(table.file).parent_path(), *other));
    return run_table(database, file, device, without_rows(arguments), axes);
  }
  SQLite::Database& sqlite = database.sqlite();
  make_views(sqlite, g, axes);
  PHASEBIT_TRY_ASSIGN(bound, bind_arguments(sqlite, table, arguments, g));
  QueryFigures figures(sqlite, g);
  if (look_at(sqlite, bound.sql).writes)
    return fail(Step::spec, "{}: results are read only: the query would write", table.file);
  try {
    return TableMaker(sqlite, figures, table, bound).make();
  } catch (const SQLite::Exception& exception) {
    if (figures.complaint) return tl::unexpected<Error>(*figures.complaint);
    return tl::unexpected<Error>(sql_error(sqlite, table, bound.sql, exception.what()));
  }
}

}  // namespace phasebit::report::sql
