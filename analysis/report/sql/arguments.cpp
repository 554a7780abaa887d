#include "analysis/report/sql/arguments.h"

#include "analysis/report/sql/text.h"
#include "analysis/report/sql/views.h"
#include "core/base/text.h"

#include <algorithm>
#include <set>

#include <fmt/ranges.h>

namespace phasebit::report::sql {

using base::contains;
using base::nearest_word_hint;

namespace {

using Words = std::vector<std::string>;

Words split(std::string_view text, char by) {
  const auto parts = base::split(text, by);
  return {parts.begin(), parts.end()};
}

// "barrier|try_wait": any of them. Of an axis without a value the cell is "-".
Words values_of(const std::string& text) {
  Words values = split(text, '|');
  for (std::string& value : values)
    if (value.empty()) value = "-";
  return values;
}

std::string sql_text(const std::string& value) {
  std::string text = "'";
  for (const char c : value) text += c == '\'' ? "''" : std::string(1, c);
  return text + "'";
}

constexpr const char *waited_on = "waited_on", *warp_layout = "warp_layout";
constexpr const char* layout_axes = "roles granularity producers consumers placement sharing";

// What a cell of a column shows: text for a column of several axes, "-" for an axis that means
// nothing there.
std::string shown(const std::string& column) {
  if (column == waited_on || column == warp_layout) return column;
  const std::string name = axis_column(column);
  return fmt::format("dash({}, {}, blank)", sql_name(name), sql_text(column));
}

std::string order_of(const std::string& column) {
  if (column == waited_on) return "waited_order";
  if (column == warp_layout) return "warp_layout_order";
  return fmt::format("place({}, {})", sql_text(column), sql_name(axis_column(column)));
}

// Of a number there is no typo: the values by size.
std::string nearest_value(const std::string& value, Words known) {
  std::sort(known.begin(), known.end(), [](const std::string& a, const std::string& b) {
    return place_of("", a) < place_of("", b);
  });
  if (!is_whole_number(value)) return nearest_word_hint(value, known);
  constexpr size_t most = 12;
  const bool all = known.size() <= most;
  if (!all) known.resize(most);
  return fmt::format("one of: {}{}", fmt::join(known, ", "), all ? "" : ", ...");
}

class Binder {
 public:
  Binder(SQLite::Database& sqlite, const TableFile& table, std::int64_t g)
      : sqlite_(sqlite), table_(table) {
    rows_ = table.rows;
    where_ = table.where;
    out_.across = table.across;
    out_.values["g"] = std::to_string(g);
    for (const TableArgument& one : table.arguments)
      out_.values[one.name] = one.query.empty() ? one.otherwise : answers(one.query).front();
  }

  Result<BoundTable> bind(const data::TableArguments& arguments) {
    std::set<std::string> names;
    for (const auto& [name, value] : arguments) {
      if (!names.insert(name).second)
        return with_hint(fail(Step::usage, "argument '{}': twice", name),
                         fmt::format("of an axis {}=ONE|OTHER accepts both", name));
      PHASEBIT_TRY(take(name, value));
    }
    for (const TableArgument& one : table_.arguments)
      if (one.is_needed && out_.values[one.name].empty())
        return with_hint(fail(Step::usage, "{} needs {}=", table_.name, one.name),
                         fmt::format("{}={}", one.name, one.words));
    if (const auto across = out_.values.find("across"); across != out_.values.end())
      PHASEBIT_TRY(take_across(across->second));
    PHASEBIT_TRY(expand());
    for (const auto& own : table_.where)
      if (std::find(where_.begin(), where_.end(), own) != where_.end())
        out_.of_file.push_back(fmt::format("{}={}", own.first, own.second));
    for (const auto& [axis, value] : where_)
      if (!filtered_.contains(axis))
        return fail(Step::usage,
                    "{}: {}={} would change nothing: its query has no {{where}} for it",
                    table_.name, axis, value);
    return std::move(out_);
  }

 private:
  // The first column of a query; "" of one without rows.
  Words answers(const std::string& query) const {
    Words found;
    SQLite::Statement rows(sqlite_, query);
    if (const int index = rows.getIndex(":g"); index != 0)
      rows.bind(index, std::stoi(out_.values.at("g")));
    while (rows.executeStep()) found.push_back(rows.getColumn(0).getString());
    if (found.empty()) found.emplace_back();
    return found;
  }

  Status take(const std::string& name, const std::string& value) {
    if (name == "rows" && !table_.rows.empty()) {
      rows_ = split(value, ',');
      for (const std::string& row : rows_) PHASEBIT_TRY(check_axis(row));
      return {};
    }
    if (const TableArgument* known = table_.argument(name)) {
      PHASEBIT_TRY(check_argument(*known, value));
      out_.values[name] = value;
      return {};
    }
    PHASEBIT_TRY(check_axis(name));
    PHASEBIT_TRY(check_value(name, value));
    std::erase_if(where_, [&](const auto& one) { return one.first == name; });
    where_.emplace_back(name, value);
    std::erase(rows_, name);
    return {};
  }

  Status check_argument(const TableArgument& argument, const std::string& value) {
    if (!argument.one_of.empty() && !contains(argument.one_of, value))
      return with_hint(
          fail(Step::usage, "{}={}", argument.name, value),
          fmt::format("{}={}", argument.name,
                      fmt::join(argument.one_of, fmt::format(" or {}=", argument.name))));
    if (!argument.values.empty()) {
      const Words known = answers(argument.values);
      if (!contains(known, value))
        return with_hint(fail(Step::usage, "no {} '{}'", argument.name, value),
                         nearest_word_hint(value, known));
    }
    const auto number = base::number_in(value);
    if (argument.is_percent && !(number && *number >= 0))
      return fail(Step::usage, "{}={}: no percentage", argument.name, value);
    if (argument.least > 0 && !(number && *number >= argument.least && is_whole_number(value)))
      return with_hint(fail(Step::usage, "{}={}", argument.name, value),
                       fmt::format("a whole number, {} or more", argument.least));
    if (argument.is_axis) return check_axis(value);
    return {};
  }

  Status take_across(const std::string& text) {
    const Words parts = split(text, ':');
    if (parts.size() != 2)
      return with_hint(fail(Step::usage, "across={}", text), "across=AXIS:VALUE,VALUE");
    PHASEBIT_TRY(check_axis(parts[0]));
    across_ = parts[0];
    across_values_ = split(parts[1], ',');
    out_.across.clear();
    for (const std::string& value : across_values_) {
      out_.across.push_back(across_title(value));
      out_.blank[out_.across.back()] = why_blank(value);
    }
    return {};
  }

  // Why a value of `across` has no row, where it has none.
  std::string why_blank(const std::string& value) const {
    const auto probe = out_.values.find("probe");
    SQLite::Statement rows(
        sqlite_,
        fmt::format("SELECT DISTINCT named FROM figure WHERE kind = 'point' AND CAST({} AS TEXT) = "
                    "{}{}",
                    sql_name(axis_column(across_)), sql_text(value),
                    probe == out_.values.end()
                        ? ""
                        : fmt::format(" AND probe = {}", sql_text(probe->second))));
    std::set<std::string> others;
    bool any = false;
    for (; rows.executeStep(); any = true)
      for (const std::string& axis : split(rows.getColumn(0).getString(), ' '))
        if (!axis.empty() && axis != across_ && !contains(rows_, axis)) others.insert(axis);
    for (const auto& [axis, wanted] : where_) others.erase(axis);
    if (!any)
      return "nothing measured; `phasebit generate --id VARIANT --list` says whether a rule prunes "
             "it";
    if (others.empty()) return "measured, but not with the values asked for";
    return fmt::format("measured only with other axes off their default; add to rows=: {}",
                       fmt::join(others, ", "));
  }

  std::string across_title(const std::string& value) const {
    if (across_ != "num_stages") return fmt::format("{}={}", across_, value);
    return value == "1" ? "1 stage" : value + " stages";
  }

  Words columns_of_axes() {
    Words known = {waited_on, warp_layout};
    SQLite::Statement axes(sqlite_, "SELECT name FROM axis");
    while (axes.executeStep()) known.push_back(axes.getColumn(0).getString());
    return known;
  }

  Status check_axis(const std::string& name) {
    Words known = columns_of_axes();
    if (table_.takes_axes || !table_.rows.empty() || table_.argument("axis") != nullptr) {
      if (contains(known, name)) return {};
    } else {
      known.clear();
    }
    for (const TableArgument& one : table_.arguments) known.push_back(one.name);
    if (known.empty()) return fail(Step::usage, "this table has no argument '{}'", name);
    return with_hint(fail(Step::usage, "no axis or argument '{}'", name),
                     nearest_word_hint(name, known));
  }

  Status check_value(const std::string& axis, const std::string& value) {
    std::set<std::string> values;
    SQLite::Statement rows(
        sqlite_,
        fmt::format(
            "SELECT DISTINCT CAST({} AS TEXT) FROM figure WHERE kind = 'point'{}", shown(axis),
            table_.probe.empty() ? "" : fmt::format(" AND probe = {}", sql_text(table_.probe))));
    while (rows.executeStep()) values.insert(rows.getColumn(0).getString());
    if (values.empty()) return {};  // the query says that there is no row
    for (const std::string& one : values_of(value))
      if (!values.contains(one))
        return with_hint(
            fail(Step::usage, "no measured variant{} has {}={}",
                 table_.probe.empty() ? "" : " of the probe " + table_.probe, axis, one),
            nearest_value(one, {values.begin(), values.end()}));
    return {};
  }

  // "file:line" of a place of the query.
  std::string place(size_t at) const {
    const auto end = table_.sql.begin() + static_cast<std::ptrdiff_t>(at);
    return fmt::format("{}:{}", table_.file,
                       table_.sql_line + std::count(table_.sql.begin(), end, '\n'));
  }

  Status expand() {
    const std::string& sql = table_.sql;
    for (size_t at = 0; at < sql.size();) {
      const size_t open = std::min(sql.find('{', at), sql.size());
      out_.sql += sql.substr(at, open - at);
      if (open == sql.size()) break;
      if (sql.compare(open, 2, "{:") == 0) {  // a format of a column
        out_.sql += '{';
        at = open + 1;
        continue;
      }
      const size_t close = sql.find('}', open);
      if (close == std::string::npos)
        return fail(Step::spec, "{}: a placeholder is not closed", place(open));
      Words words = split(sql.substr(open + 1, close - open - 1), ' ');
      for (std::string& word : words)
        if (word.starts_with('-')) word.erase(0, 1);
      const std::string name = words.front();
      words.erase(words.begin());
      PHASEBIT_TRY_ASSIGN(text, placeholder(name, words, place(open)));
      out_.sql += text;
      at = close + 1;
      // A list without axes takes its comma along.
      if (text.empty() && sql.compare(at, 1, ",") == 0) ++at;
    }
    return {};
  }

  Words rows_but(const Words& left_out) const {
    Words rows;
    for (const std::string& row : rows_)
      if (!contains(left_out, row)) rows.push_back(row);
    return rows;
  }

  template <typename Make>
  static std::string joined(const Words& words, const char* by, const Make& make) {
    Words made;
    for (size_t n = 0; n < words.size(); ++n) made.push_back(make(n, words[n]));
    return fmt::format("{}", fmt::join(made, by));
  }

  std::string where(const Words& left_out) {
    Words tests;
    for (const auto& [axis, value] : where_) {
      if (contains(left_out, axis)) continue;
      filtered_.insert(axis);
      tests.push_back(fmt::format(
          "CAST({} AS TEXT) IN ({})", shown(axis),
          joined(values_of(value), ", ", [](size_t, const auto& one) { return sql_text(one); })));
    }
    return tests.empty() ? "1" : fmt::format("({})", fmt::join(tests, " AND "));
  }

  std::string where_only(const Words& axes) {
    Words others;
    for (const auto& [axis, value] : where_)
      if (!contains(axes, axis)) others.push_back(axis);
    return where(others);
  }

  // The value of an argument in a title: {as ours % / it|.2f}.
  std::string title_as(const Words& words) const {
    const auto value = out_.values.find(words.front());
    std::string title = fmt::format("{}", fmt::join(words.begin() + 1, words.end(), " "));
    if (const size_t at = title.find('%'); at != std::string::npos && value != out_.values.end())
      title.replace(at, 1, value->second);
    return sql_name(title);
  }

  std::string free_axes(const Words& left_out) const {
    Words axes = rows_but(left_out);
    for (const auto& [axis, value] : where_)
      if (!contains(left_out, axis)) axes.push_back(axis);
    if (!across_.empty()) axes.push_back(across_);
    const bool waits = contains(axes, waited_on);
    if (contains(axes, warp_layout)) axes.emplace_back(layout_axes);
    return fmt::format("{}{}", sql_text(fmt::format("{}", fmt::join(axes, " "))),
                       waits ? " || ' ' || waited_axes" : "");
  }

  Result<std::string> placeholder(const std::string& name, const Words& left_out,
                                  const std::string& where_it_is) {
    const Words rows = rows_but(left_out);
    if ((name == "column" || name == "title") && left_out.size() == 1) {
      const auto value = out_.values.find(left_out.front());
      if (value != out_.values.end())
        return sql_name(name == "column" ? axis_column(value->second) : value->second);
    }
    if (name == "as" && left_out.size() > 1) return title_as(left_out);
    if (name == "where") return where(left_out);
    if (name == "where_only") return where_only(left_out);
    if (name == "free") return free_axes(left_out);
    if (name == "rows")
      return joined(rows, ", ", [](size_t n, const std::string& row) {
        return fmt::format("{} AS k{}", shown(row), n + 1);
      });
    // One group, in any order, where each axis has its value by an argument.
    if (rows.empty() && (name == "keys" || name == "order" || name == "key"))
      return std::string("''");
    if (name == "keys")
      return joined(rows, ", ", [](size_t n, const auto&) { return fmt::format("k{}", n + 1); });
    if (name == "titles")
      return joined(rows, ", ", [](size_t n, std::string row) {
        std::replace(row.begin(), row.end(), '_', ' ');
        return fmt::format("k{} AS {}", n + 1, sql_name(row));
      });
    if (name == "order")
      return joined(rows, ", ", [](size_t, const std::string& row) { return order_of(row); });
    if (name == "key")
      return joined(rows, " || char(10) || ",
                    [](size_t, const std::string& row) { return shown(row); });
    if (name == "across") return sql_name(axis_column(across_));
    if (name == "across_title")
      return across_ == "num_stages"
                 ? std::string("iif(num_stages = 1, '1 stage', num_stages || ' stages')")
                 : fmt::format("{} || '=' || {}", sql_text(across_),
                               sql_name(axis_column(across_)));
    if (name == "across_values")
      return joined(across_values_, ", ", [](size_t, const auto& one) { return sql_text(one); });
    return with_hint(fail(Step::spec, "{}: no placeholder '{{{}}}'", where_it_is, name),
                     nearest_word_hint(name, {"where", "free", "rows", "keys", "titles", "order",
                                              "key", "across", "across_title", "across_values",
                                              "where_only", "column", "title", "as"}));
  }

  SQLite::Database& sqlite_;
  const TableFile& table_;
  Words rows_;
  std::vector<std::pair<std::string, std::string>> where_;
  std::set<std::string> filtered_;  // axes of where_ that the query asks for
  std::string across_;
  Words across_values_;
  BoundTable out_;
};

}  // namespace

Result<BoundTable> bind_arguments(SQLite::Database& sqlite, const TableFile& table,
                                  const data::TableArguments& arguments, std::int64_t g) {
  return Binder(sqlite, table, g).bind(arguments);
}

}  // namespace phasebit::report::sql
