#include "analysis/report/report.h"

#include "analysis/report/export.h"
#include "core/results/flat.h"
#include "core/results/load.h"
#include "tests/report/results.h"

#include <set>

#include <gtest/gtest.h>

namespace phasebit::test {

using base::read_file;
using base::TableFormat;
using base::write_file;
using report::export_results;
using report::report;
using report::update_documents;

namespace {

class Documents : public testing::Test {
 protected:
  base::TempDir folder_ = base::TempDir::create().value();
  fs::path results_ = folder_.path() / "a.csv", store_ = folder_.path() / "a.sqlite";
  fs::path document_ = folder_.path() / "README.md", other_ = folder_.path() / "other.md";

  void SetUp() override {
    const results::PointRow again = control_of(steady("ring/a", 50), 51);
    ASSERT_TRUE(write_file(results_, results::to_csv(results_of({steady("ring/a", 50), again}))));
    ASSERT_TRUE(results::import_results(store_, {results_}));
    write(document_, "12");
  }
  void write(const fs::path& path, const std::string& figure) {
    ASSERT_TRUE(write_file(path, text(figure)));
  }
  static std::string text(const std::string& figure) {
    return "a\n<!-- phasebit:figure variant=ring/a field=cycles -->" + figure +
           "<!-- /phasebit -->\n";
  }
};

TEST_F(Documents, AreUpdatedAndThenAgree) {
  const report::ReportSource source = source_of({results_});
  write(other_, "50.00");
  EXPECT_EQ(report::check_documents({document_, other_}, source).error().text(),
            "store: documents differ from the results:\n" + document_.string() +
                ":2: block 'figure variant=ring/a field=cycles' has '12', the results give '50.00' "
                "(`phasebit report --update` makes them anew)");
  EXPECT_EQ(update_documents({document_, other_}, source).value(),
            document_.string() + ": updated\n");
  EXPECT_EQ(read_file(document_).value(), text("50.00"));
  EXPECT_TRUE(report::check_documents({document_, other_}, source));
  EXPECT_EQ(update_documents({document_, other_}, source).value(), "nothing changed\n");
}

TEST_F(Documents, AreNotTouchedWhenOneOfThemIsWrong) {
  ASSERT_TRUE(write_file(other_, "<!-- phasebit:nothing -->\n<!-- /phasebit -->\n"));
  EXPECT_FALSE(update_documents({document_, other_}, source_of({results_})));
  EXPECT_EQ(read_file(document_).value(), text("12"));
}

TEST_F(Documents, AreTheSameFromAStoreAndFromAFile) {
  for (const TableFormat format : {TableFormat::markdown, TableFormat::json})
    EXPECT_EQ(report(source_of({results_}), "aa", {}, format).value(),
              report(source_of({store_, results_}), "aa", {}, format).value());
}

TEST_F(Documents, HtmlIsAPageThatLoadsNothing) {
  const std::string page = report(source_of({results_}), "aa", {}, TableFormat::html).value();
  for (const char* part : {"<!doctype html>", "<meta charset=\"utf-8\">", "<h1>aa</h1>", "<table",
                           "type=\"search\"", "</html>"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  for (const char* part : {"src=", "href=", "http", "@import"})
    EXPECT_EQ(page.find(part), std::string::npos) << part;
}

TEST_F(Documents, ReportNamesAMissingFile) {
  EXPECT_EQ(
      report(source_of({folder_.path() / "none"}), "core", {}, TableFormat::text).error().text(),
      "io: cannot read " + (folder_.path() / "none").string() + ": No such file or directory");
}

TEST_F(Documents, ExportsAreTheSameFromAStoreAndFromAFile) {
  EXPECT_EQ(export_results({{store_}, {}, "csv"}).value(), read_file(results_).value());
  EXPECT_EQ(export_results({{store_}, {}, "csv"}).value(),
            export_results({{results_}, {}, "csv"}).value());
  EXPECT_EQ(export_results({{store_}, {}, "cvs"}).error().text(),
            "usage: no export format 'cvs' (did you mean 'csv'?)");
  EXPECT_EQ(export_results({{store_}, {}, "jsonl"}).error().text(),
            "usage: no export format 'jsonl' (csv loses nothing: -o NAME.csv.zst)");
}

// Two repetitions with samples: of "base" the first keeps its own, and every figure stays.
TEST_F(Documents, SamplesAreLeftOutAndFiguresStay) {
  results::PointRow second = steady("ring/mbarrier/st_shared/none", 52);
  second.repetition = 1;
  const std::vector<results::PointRow> rows = {steady("ring/mbarrier/st_shared/none", 50), second};
  ASSERT_TRUE(results::write_flat(results_, results_of(rows)));
  const auto kept = [&](const std::string& samples) {
    const fs::path out = folder_.path() / (samples + ".csv");
    std::vector<std::pair<double, bool>> found;  // cycles, with samples
    EXPECT_TRUE(export_results({{results_}, {}, "csv", samples}, out)) << samples;
    const auto loaded = results::load_results({out});
    EXPECT_TRUE(loaded) << loaded.error().text();
    if (!loaded) return found;
    for (const results::PointRow& point : loaded->points)
      found.emplace_back(results::summary_of(point).value().cycles, !point.samples.empty());
    return found;
  };
  using Kept = std::vector<std::pair<double, bool>>;
  EXPECT_EQ(kept("all"), (Kept{{50, true}, {52, true}}));
  EXPECT_EQ(kept("base"), (Kept{{50, true}, {52, false}}));
  EXPECT_EQ(kept("none"), (Kept{{50, false}, {52, false}}));
  const fs::path all = folder_.path() / "all.csv";
  EXPECT_FALSE(export_results({{results_}, {}, "csv", "none"}, all));
  EXPECT_EQ(kept("all"), (Kept{{50, true}, {52, true}}));
  const fs::path empty = folder_.path() / "empty.sqlite";
  ASSERT_TRUE(results::Store::open(empty));
  EXPECT_EQ(export_results({{empty}, {}, "csv"}).error().text(),
            "usage: the results have no row to export");
  EXPECT_EQ(export_results({{results_}, {}, "csv", "bsae"}).error().text(),
            "usage: --samples bsae: all, base or none (did you mean 'base'?)");
  EXPECT_EQ(export_results({{results_}, {}, "json", "base"}).error().text(),
            "usage: --samples base: json has no samples; with --format csv alone");
}

TEST_F(Documents, AVariantIsExportedWithTheOneThatWasMeasured) {
  const results::PointRow whole = steady("ring/mbarrier/st_shared/none", 50);
  ASSERT_TRUE(write_file(
      results_, results::to_csv(results_of({whole, same_code("ring/mbarrier/none/none", whole),
                                            steady("ring/cta_barrier/none/none", 20)}))));
  const auto ids = [&](const std::string& id) {
    std::set<std::string> found;
    const auto text = export_results({{results_}, {id}, "csv"});
    EXPECT_TRUE(text) << text.error().text();
    EXPECT_TRUE(write_file(other_, text.value_or("")));
    const auto loaded = results::load_results({other_});
    EXPECT_TRUE(loaded) << loaded.error().text();
    if (!loaded) return found;
    for (const results::PointRow& point : loaded->points) found.insert(point.variant_id);
    return found;
  };
  EXPECT_EQ(ids("ring/cta_barrier/none/none"), std::set<std::string>{"ring/cta_barrier/none/none"});
  EXPECT_EQ(ids("ring/mbarrier/none/none"),
            (std::set<std::string>{"ring/mbarrier/none/none", "ring/mbarrier/st_shared/none"}));
  EXPECT_EQ(export_results({{results_}, {"ring/cta_barier/none/none"}, "csv"}).error().text(),
            "usage: the results have no variant 'ring/cta_barier/none/none' (did you mean "
            "'ring/cta_barrier/none/none'?)");
}

TEST(TableArguments, AreSplitAtTheFirstEqualsSign) {
  EXPECT_EQ(report::table_arguments({"variant=ring/a/wait=x", "b="}).value(),
            (report::data::TableArguments{{"variant", "ring/a/wait=x"}, {"b", ""}}));
  EXPECT_EQ(report::table_arguments({"core"}).error().text(),
            "usage: 'core' is not an argument of a table (NAME=VALUE)");
}

}  // namespace
}  // namespace phasebit::test
