#include "analysis/report/sql/query.h"

#include "analysis/report/sql/figures.h"
#include "analysis/report/sql/views.h"

#include <algorithm>
#include <set>

#include <sqlite3.h>

namespace phasebit::report::sql {

using base::Cell;
using base::Table;

namespace {

struct Asked {
  bool locked = false;  // from here on nothing may be written
  bool reads_claims = false;
  std::string refused;
};

// What SQLite asks before it prepares a statement.
int may(void* data, int action, const char* first, const char* second, const char*, const char*) {
  auto* asked = static_cast<Asked*>(data);
  if (!asked->locked) return SQLITE_OK;
  const auto refuse = [&](const std::string& what) {
    asked->refused = what;
    return SQLITE_DENY;
  };
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_FUNCTION:
    case SQLITE_RECURSIVE: return SQLITE_OK;
    case SQLITE_READ:
      asked->reads_claims = asked->reads_claims || std::string_view(first) == "claim";
      return SQLITE_OK;
    case SQLITE_PRAGMA: {
      static const std::set<std::string_view> harmless = {"table_info", "table_xinfo",
                                                          "table_list"};
      return harmless.contains(first) ? SQLITE_OK : refuse(fmt::format("PRAGMA {}", first));
    }
    case SQLITE_ATTACH: return refuse("ATTACH");
    case SQLITE_DETACH: return refuse("DETACH");
    default: return refuse(second == nullptr && first == nullptr ? "this statement" : "writing");
  }
}

constexpr const char* point_view =
    "CREATE TEMP VIEW point AS SELECT p, kind, device.uuid AS device, device.name AS device_name, "
    "run.id AS run, run.ptxas AS run_ptxas, run.driver AS run_driver, run.commit_name AS "
    "run_commit, run.started AS run_started, repetition, aa_control, measurement.verdict, same_as, "
    "error_step, error, unit, cycles, low, high, rounds, mhz, at_sm, at_first_warp, "
    "at_start_offset, at_padding, at_gap_after, at_gap_warps, ran_on, words, gpu_sm_mhz, "
    "gpu_memory_mhz, gpu_watts, no_counters, text_hash, sass_class{} FROM measurement JOIN variant "
    "USING (v) "
    "JOIN device USING (d) JOIN run USING (r) JOIN code USING (c)";

void make_all_views(SQLite::Database& sqlite, std::int64_t g,
                    const std::vector<std::string>& axes) {
  make_views(sqlite, g, axes);
  if (g == 0) {
    sqlite.exec("DROP VIEW temp.figure");
    sqlite.exec(
        "CREATE TEMP VIEW figure AS SELECT every_figure.* FROM every_figure JOIN gpus USING (g) "
        "WHERE NOT is_model AND gpus.runs = '' AND kind <> 'form'");
  }
  sqlite.exec("DROP VIEW IF EXISTS temp.point");
  sqlite.exec(fmt::format(fmt::runtime(point_view), variant_columns(sqlite, axes)));
  sqlite.exec(
      "CREATE TEMP TABLE IF NOT EXISTS claim(name TEXT, verdict TEXT, says TEXT, used INTEGER, "
      "refutes INTEGER)");
}

// "line 2, column 14: "; "" where SQLite names no place.
std::string position_of(const std::string& text, int offset) {
  if (offset < 0) return {};
  const size_t at = std::min(static_cast<size_t>(offset), text.size());
  const size_t line_start = text.rfind('\n', at == 0 ? 0 : at - 1);
  const auto line =
      1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  const bool first = line == 1 || line_start == std::string::npos;
  return fmt::format("line {}, column {}: ", line, first ? at + 1 : at - line_start);
}

Status fill_claims(SQLite::Database& sqlite, const SqlQuery& query) {
  if (!query.claims) return fail(Step::usage, "there are no claims at hand");
  PHASEBIT_TRY_ASSIGN(claims, query.claims());
  sqlite.exec("DELETE FROM temp.claim");  // of a question before
  SQLite::Statement row(sqlite, "INSERT INTO temp.claim VALUES(?, ?, ?, ?, ?)");
  for (const auto& cells : claims.rows) {
    for (int n = 0; n < 5; ++n) row.bind(n + 1, cells[static_cast<size_t>(n)].text);
    row.exec();
    row.reset();
  }
  return {};
}

class Reader {
 public:
  explicit Reader(SQLite::Statement& query) : query_(query) {}

  Table read() {
    for (int n = 0; n < query_.getColumnCount(); ++n)
      table_.columns.push_back({query_.getColumnName(n), true});
    while (query_.executeStep()) {
      std::vector<Cell>& row = table_.rows.emplace_back();
      for (int n = 0; n < query_.getColumnCount(); ++n) row.push_back(cell_of(n));
    }
    return std::move(table_);
  }

 private:
  Cell cell_of(int n) {
    const SQLite::Column value = query_.getColumn(n);
    if (value.isNull()) return {};
    const std::string text = value.getString();
    if (value.isInteger() || value.isFloat()) return {text, value.getDouble(), {}};
    table_.columns[static_cast<size_t>(n)].right_aligned = false;
    return {text};
  }

  SQLite::Statement& query_;
  Table table_;
};

// Holds SQLite to what it may do until it goes.
class Guard {
 public:
  Guard(SQLite::Database& sqlite, Asked& asked) : sqlite_(sqlite) {
    sqlite3_set_authorizer(sqlite_.getHandle(), &may, &asked);
  }
  ~Guard() { sqlite3_set_authorizer(sqlite_.getHandle(), nullptr, nullptr); }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

 private:
  SQLite::Database& sqlite_;
};

Status one_statement(SQLite::Database& sqlite, const std::string& text) {
  const FirstStatement first = look_at(sqlite, text);
  if (sqlite3_errcode(sqlite.getHandle()) != SQLITE_OK) {
    const std::string place = position_of(text, sqlite3_error_offset(sqlite.getHandle()));
    const std::string what = sqlite3_errmsg(sqlite.getHandle());
    return with_hint(fail(Step::usage, "{}{}", place, what), sql_hint(sqlite, what));
  }
  if (!first.is_there)
    return with_hint(fail(Step::usage, "an empty query"), "\"select * from device\"");
  if (first.writes) return fail(Step::usage, "results are read only: the query would write");
  if (text.find_first_not_of(" \t\r\n;", first.end) != std::string::npos)
    return fail(Step::usage, "{}one statement at a time",
                position_of(text, static_cast<int>(first.end)));
  return {};
}

}  // namespace

Result<Table> run_query(ReportDatabase& database, const SqlQuery& query) {
  SQLite::Database& sqlite = database.sqlite();
  std::int64_t g = 0;
  if (!query.device.empty()) {
    PHASEBIT_TRY_ASSIGN(asked, database.gpus(query.device));
    g = asked;
  }
  Asked asked;
  try {
    make_all_views(sqlite, g, query.axes);
    QueryFigures figures(sqlite, g);
    const Guard guard(sqlite, asked);
    asked.locked = true;
    const Status good = one_statement(sqlite, query.text);
    if (!asked.refused.empty())
      return fail(Step::usage, "results are read only: {} is refused", asked.refused);
    if (!good) return tl::unexpected<Error>(good.error());
    if (asked.reads_claims) {
      asked.locked = false;
      PHASEBIT_TRY(fill_claims(sqlite, query));
      asked.locked = true;
    }
    SQLite::Statement statement(sqlite, query.text);
    return Reader(statement).read();
  } catch (const SQLite::Exception& exception) {
    return fail(Step::usage, "{}", exception.what());
  }
}

}  // namespace phasebit::report::sql
