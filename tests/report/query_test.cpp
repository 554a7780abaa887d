// Questions of results: `phasebit sql`, the tables' cache, and every table over what is published.
#include "analysis/report/sql/query.h"

#include "analysis/report/sql/run_table.h"
#include "core/results/flat.h"
#include "tests/report/published.h"
#include "tests/report/results.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using report::data::TableArguments;
using report::sql::read_tables;
using report::sql::ReportDatabase;
using report::sql::run_query;
using report::sql::SqlQuery;
using report::sql::TableFile;
using results::Results;

namespace {

const std::string query_ring = "ring/mbarrier/st_shared/none";

// Two GPUs of two models that measured one ring.
Results query_of_two() {
  results::PointRow other = steady(query_ring, 101);
  other.device_uuid = "GPU-2";
  Results results =
      results_of({steady(query_ring, 100), steady(query_ring + "/num_stages=8", 60), other});
  results.devices.push_back({"GPU-2", "NVIDIA H100", "580.1", "sm_90", 132, 1, 1});
  return results;
}

using Rows = std::vector<std::string>;

// What `phasebit sql` says, rows or an error.
Rows asked(const std::string& text) {
  static TestTables tables = TestTables::of(query_of_two());
  SqlQuery query{text, ""};
  query.claims = [] {
    base::Table claims;
    for (const char* title : {"name", "verdict", "says", "used", "refutes"})
      claims.columns.push_back({title});
    claims.rows = {{{"one"}, {"holds"}, {"It is so."}, {"7"}, {"0"}}};
    return Result<base::Table>(claims);
  };
  const auto made = run_query(tables.database, query);
  return made ? rows_of(*made) : Rows{made.error().text()};
}

TEST(SqlQuery, ClaimsAreAskedForWhereItReadsThem) {
  EXPECT_EQ(asked("SELECT name, verdict, says, used + 1, refutes FROM claim"),
            Rows{"one|holds|It is so.|8|0"});
  EXPECT_EQ(asked("SELECT count(*) FROM claim"), Rows{"1"});  // not once more
  TestTables tables = TestTables::of(query_of_two());
  EXPECT_EQ(text_of(run_query(tables.database, {"SELECT * FROM claim", ""})),
            "usage: there are no claims at hand");
  SqlQuery failing{"SELECT 1", ""};
  failing.claims = []() -> Result<base::Table> { return fail(Step::spec, "a.toml:1: no"); };
  EXPECT_TRUE(run_query(tables.database, failing));
  failing.text = "SELECT * FROM claim";
  EXPECT_EQ(text_of(run_query(tables.database, failing)), "spec: a.toml:1: no");
}

TEST(SqlQuery, ErrorsNameLineAndColumn) {
  const std::string hint =
      " (docs/report-tables.md has the views, their columns and the functions)";
  const std::pair<const char*, std::string> rows[] = {
      {"SELECT id,, f FROM figure", "usage: line 1, column 11: near \",\": syntax error" + hint},
      {"SELECT id\nFROM figure\nWHERE  protocl = 1",
       "usage: line 3, column 8: no such column: protocl (did you mean 'protocol'? " +
           hint.substr(2)},
      {"SELECT 1 FROM figur", "usage: no such table: figur" + hint},
      {"SELECT\nmdian(1)", "usage: line 2, column 1: no such function: mdian" + hint},
      {"", "usage: an empty query (\"select * from device\")"},
      {"-- nothing", "usage: an empty query (\"select * from device\")"},
      {"SELECT 1; SELECT 2", "usage: line 1, column 10: one statement at a time"},
      {"SELECT 1;\nDROP TABLE device", "usage: line 1, column 10: one statement at a time"},
  };
  for (const auto& [query, error] : rows) EXPECT_EQ(asked(query), Rows{error}) << query;
}

TEST(SqlQuery, WritesNothing) {
  const std::pair<const char*, const char*> rows[] = {
      {"INSERT INTO device(uuid) VALUES ('x')", "writing"},
      {"UPDATE device SET name = 'x'", "writing"},
      {"DELETE FROM device", "writing"},
      {"CREATE TABLE x(y)", "writing"},
      {"CREATE TEMP TABLE x(y)", "writing"},
      {"DROP TABLE device", "writing"},
      {"DROP VIEW figure", "writing"},
      {"ATTACH 'x.sqlite' AS x", "ATTACH"},
      {"DETACH temp", "DETACH"},
      {"PRAGMA journal_mode = WAL", "PRAGMA journal_mode"},
      {"PRAGMA writable_schema = 1", "PRAGMA writable_schema"},
  };
  for (const auto& [query, what] : rows)
    EXPECT_EQ(asked(query), Rows{fmt::format("usage: results are read only: {} is refused", what)});
  for (const char* query : {"VACUUM", "BEGIN", "REINDEX", "ANALYZE", "SELECT load_extension('x')"})
    EXPECT_NE(asked(query).front().find("usage: "), std::string::npos) << query;
  EXPECT_EQ(asked("SELECT count(*) FROM device"), Rows{"2"});
  EXPECT_EQ(asked("SELECT count(*) > 9 FROM pragma_table_info('figure')"), Rows{"1"});
}

class ResultsCache : public testing::Test {
 protected:
  base::TempDir folder_ = base::TempDir::create().value();
  fs::path results_ = folder_.path() / "a.csv", cache_ = folder_.path() / "cache";

  void SetUp() override { write(100); }
  void write(std::uint64_t cycles) {
    ASSERT_TRUE(
        base::write_file(results_, results::to_csv(results_of({steady(query_ring, cycles)}))));
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> all;
    std::error_code missing;
    for (const auto& file : fs::directory_iterator(cache_ / "results", missing))
      all.push_back(file.path());
    return all;
  }
  // The cycles of the ring, or what is wrong.
  Rows read(const fs::path& cache) const {
    auto database = ReportDatabase::open({results_}, cache);
    if (!database) return {database.error().text()};
    const auto made =
        run_query(*database, {"SELECT cycles FROM figure WHERE quantity = 'cycles'", ""});
    return made ? rows_of(*made) : Rows{made.error().text()};
  }
};

TEST_F(ResultsCache, IsMadeOnceOfWhatTheFilesContain) {
  EXPECT_EQ(read(cache_), Rows{"100.0"});
  ASSERT_EQ(files().size(), 1U);
  const fs::path file = files().front();
  const auto made = fs::last_write_time(file) - std::chrono::hours(1);
  fs::last_write_time(file, made);
  EXPECT_EQ(read(cache_), Rows{"100.0"});
  EXPECT_EQ(files(), std::vector<fs::path>{file});
  EXPECT_EQ(fs::last_write_time(file), made);
  // Under another name the results are the same.
  fs::rename(results_, folder_.path() / "b.csv");
  results_ = folder_.path() / "b.csv";
  EXPECT_EQ(read(cache_), Rows{"100.0"});
  EXPECT_EQ(files().size(), 1U);
  write(200);
  EXPECT_EQ(read(cache_), Rows{"200.0"});
  EXPECT_EQ(files().size(), 2U);
}

TEST_F(ResultsCache, IsMadeAnewWhereSamplesChanged) {
  read(cache_);
  ASSERT_TRUE(base::write_file(folder_.path() / "a.samples.csv", "point,items,cycles\n"));
  EXPECT_EQ(read(cache_), Rows{"100.0"});
  EXPECT_EQ(files().size(), 2U);
}

TEST_F(ResultsCache, IsMadeAnewWhereItsFileIsTorn) {
  EXPECT_EQ(read(cache_), Rows{"100.0"});
  const fs::path file = files().at(0);
  const std::string whole = base::read_file(file).value();
  for (const std::string& torn : {std::string(), std::string("no database"),
                                  whole.substr(0, whole.size() / 2), whole.substr(0, 100)}) {
    SCOPED_TRACE(torn.size());
    ASSERT_TRUE(base::write_file(file, torn));
    EXPECT_EQ(read(cache_), Rows{"100.0"});
    EXPECT_EQ(base::read_file(file)->size(), whole.size());
  }
}

TEST_F(ResultsCache, IsNotNeeded) {
  EXPECT_EQ(read({}), Rows{"100.0"});
  // A file in the folder's place: nothing can be written.
  EXPECT_EQ(read(results_), Rows{"100.0"});
  EXPECT_EQ(read(results_ / "deeper"), Rows{"100.0"});
  ASSERT_TRUE(fs::create_directories(cache_ / "results"));
  fs::permissions(cache_ / "results", fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_EQ(read(cache_), Rows{"100.0"});
  fs::permissions(cache_ / "results", fs::perms::owner_all);
  EXPECT_EQ(
      text_of(ReportDatabase::open({folder_.path() / "none"}, cache_).map([](auto&&) {
        return base::Table();
      })),
      "io: cannot read " + (folder_.path() / "none").string() + ": No such file or directory");
}

TEST_F(ResultsCache, SaysHowFarItIs) {
  std::vector<std::pair<size_t, size_t>> seen;
  const auto progress = [&](size_t done, size_t all) { seen.emplace_back(done, all); };
  ASSERT_TRUE(ReportDatabase::open({results_}, cache_, {}, progress));
  EXPECT_EQ(seen, (std::vector<std::pair<size_t, size_t>>{{0, 1}}));  // of one GPU
  seen.clear();
  ASSERT_TRUE(ReportDatabase::open({results_}, cache_, {}, progress));
  EXPECT_TRUE(seen.empty());
}

// What a table is shown with where its defaults, over all published results, give nothing.
struct Shown {
  const char* results;  // published_apart; "" for all others
  TableArguments arguments;
};

Shown shown(const std::string& table) {
  static const std::map<std::string, Shown> others = {
      {"axis_pairs", {"", {{"axis", "arrival"}, {"first", "warp"}, {"second", "thread"}}}},
      {"beside", {"", {{"axis", "wait"}}}},
      {"history", {"history/ptxas", {}}},
      {"llvm", {"llvm/rings", {}}},
      {"llvm_levels", {"llvm/rings", {}}},
      {"origins", {"llvm/origins", {{"ours", "mbarrier"}}}},
      {"peer_tiles", {"peers/peers", {}}},
      {"peers", {"peers/peers", {}}},
      {"steps", {"history/ptxas", {}}}};
  const auto found = others.find(table);
  return found == others.end() ? Shown{"", {}} : found->second;
}

class PublishedTables : public testing::Test {
 protected:
  ReportDatabase& of(const std::string& results) {
    const auto known = databases_.find(results);
    if (known != databases_.end()) return known->second;
    auto opened = ReportDatabase::open(results.empty() ? published() : published_apart(results),
                                       home().cache);
    if (!opened) bug(opened.error().text());
    return databases_.emplace(results, std::move(*opened)).first->second;
  }

 private:
  std::map<std::string, ReportDatabase> databases_;
};

TEST_F(PublishedTables, HaveRows) {
  const auto tables = read_tables(base::source_root() / "analysis" / "report" / "tables");
  ASSERT_TRUE(tables) << tables.error().text();
  ASSERT_GT(tables->size(), 30U);
  for (const TableFile& table : *tables) {
    SCOPED_TRACE(table.name);
    const auto [results, arguments] = shown(table.name);
    ReportDatabase& database = of(results);
    const auto made = run_table(database, table, database.default_device(true, table.all_gpus),
                                arguments, project_axes());
    if (!made) {
      ADD_FAILURE() << made.error().text();
      continue;
    }
    EXPECT_TRUE(table.may_be_empty || !made->rows.empty());
  }
}

}  // namespace
}  // namespace phasebit::test
