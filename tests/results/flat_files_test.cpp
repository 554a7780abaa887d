// Results as files of CSV, with their samples: core/results/flat.h.
#include "core/base/file.h"
#include "core/results/flat.h"
#include "core/results/load.h"
#include "tests/results/flat_rows.h"

namespace phasebit::test {
namespace {

class FlatFiles : public testing::Test {
 protected:
  base::TempDir folder_ = base::TempDir::create().value();
  fs::path path_ = folder_.path() / "a.csv.zst", samples_ = folder_.path() / "a.samples.csv.zst";

  Result<Results> read(const results::SampleWish& wanted = {}) {
    return read_flat(path_, base::read_file(path_).value(), wanted);
  }
  std::string samples_text() {
    std::string text;
    EXPECT_TRUE(base::unzstd(base::read_file(samples_).value(), "s", [&](std::string_view piece) {
      text += piece;
      return Status();
    }));
    return text;
  }
};

TEST_F(FlatFiles, KeepSamplesInAFileOfTheirOwn) {
  const Results results = some_results();
  ASSERT_TRUE(results::write_flat(path_, results));
  EXPECT_EQ(read().value(), results);
  EXPECT_EQ(read(results::no_samples).value(), without_samples(results));
  EXPECT_TRUE(samples_text().starts_with("point,items,cycles,reading_1,reading_2\n0,8,196,,\n"))
      << samples_text().substr(0, 100);
}

TEST_F(FlatFiles, EarlierSamplesAreNotLost) {
  const Results results = some_results();
  ASSERT_TRUE(results::write_flat(path_, results));
  EXPECT_EQ(
      results::write_flat(path_, without_samples(results)).error().text(),
      fmt::format("store: {} has the samples of an earlier file, and these rows have no samples "
                  "(move it, or choose another name)",
                  samples_.string()));
  EXPECT_EQ(read().value(), results);
}

TEST_F(FlatFiles, FiguresAreThoseOfTheirSamples) {
  Results results = plain_results();
  results.points = {point_of(results.variants[0])};
  path_ = folder_.path() / "a.csv";
  ASSERT_TRUE(results::write_flat(path_, results));
  const std::string text = base::read_file(path_).value();
  const auto error = [&](const std::string& name, const std::string& value) {
    Table table = table_of(text);
    table[1][Changed().column(name)] = value;
    EXPECT_TRUE(base::write_file(path_, text_of(table)));
    const auto made = read();
    return made ? "" : made.error().text();
  };
  const std::string row = fmt::format("store: {}: row 1: ", path_.string());
  // Rounds of 12, 12 and 13 cycles an item: too few for an interval, so it is their range.
  EXPECT_EQ(error("cycles", "12"), "");
  EXPECT_EQ(error("cycles", "12.5"), row + "column 'cycles': 12.5, but its samples give 12");
  EXPECT_EQ(error("ci_low", "11"), row + "column 'ci_low': 11, but its samples give 12");
  EXPECT_EQ(error("rounds", "4"), row + "column 'rounds': 4, but its samples give 3");
  EXPECT_EQ(error("r2", ""), "");  // not known
}

TEST_F(FlatFiles, ADeviceHasOneName) {
  const fs::path other = folder_.path() / "other.csv", store = folder_.path() / "a.sqlite";
  Results results = some_results();
  ASSERT_TRUE(results::write_flat(path_, results));
  results.devices[0].name = "NVIDIA H100";
  ASSERT_TRUE(results::write_flat(other, results));
  const std::string twice =
      "device GPU-1 is 'NVIDIA H100' here, and 'NVIDIA H200' in what was read before";
  EXPECT_EQ(results::load_results({path_, other}).error().text(),
            fmt::format("store: {}: {}", other.string(), twice));
  ASSERT_TRUE(results::import_results(store, {path_}));
  EXPECT_EQ(results::import_results(store, {other}).error().text(),
            fmt::format("store: {}: {}: {}", other.string(), store.string(), twice));
}

TEST_F(FlatFiles, GoThroughAStoreWithoutLoss) {
  const fs::path store = folder_.path() / "a.sqlite", again = folder_.path() / "again.csv.zst";
  Results results = some_results();
  results.points[0].extra = R"({"watts":"3"})";
  results.points[1].lacks = "sm,padding";
  results.points[1].conditions = {};
  ASSERT_TRUE(results::write_flat(path_, results));
  ASSERT_TRUE(results::import_results(store, {path_}));
  const auto back = results::load_results({store});
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(back->points, results.points);
  ASSERT_TRUE(results::write_flat(again, *back));
  EXPECT_EQ(base::read_file(again).value(), base::read_file(path_).value());
  EXPECT_EQ(base::read_file(folder_.path() / "again.samples.csv.zst").value(),
            base::read_file(samples_).value());
}

TEST_F(FlatFiles, RefuseSamplesThatDoNotMatch) {
  ASSERT_TRUE(results::write_flat(path_, some_results()));
  const std::string text = samples_text(), name = samples_.string();
  const auto error = [&](const std::string& changed) {
    EXPECT_TRUE(base::write_file(samples_, base::zstd(changed)));
    const auto made = read();
    return made ? "" : made.error().text();
  };
  const auto with = [&](const std::string& row) { return text + row + "\n"; };
  const std::size_t rows = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  const auto at = [&](const char* what) {
    return fmt::format("store: {}: row {}: {}", name, rows, what);
  };
  EXPECT_EQ(error(with("99,1,2,,")), at("column 'point': the results have no point 99"));
  EXPECT_EQ(error(with("3,1,2,,")), at("column 'reading_1': point 3 has 2 readings"));
  EXPECT_EQ(error(with("3,4294967296,2,1,1")),
            at("column 'items': '4294967296' is not a whole number in range"));
  EXPECT_EQ(error(with("3,1,-2,1,1")), at("column 'cycles': '-2' is not a whole number in range"));
  EXPECT_EQ(error(with("3,1,2,1")), at("4 fields for 5 columns"));
  EXPECT_EQ(error(with("3,1,2,1,1")),
            fmt::format("store: {}: 13 samples of point 3, of which the results count 12", name));
  EXPECT_EQ(error("point,items\n"), fmt::format("store: {}: header: no column 'cycles'", name));
  ASSERT_TRUE(fs::remove(samples_));
  EXPECT_EQ(read().error().text(),
            fmt::format("io: cannot read {}: No such file or directory", name));
}

TEST_F(FlatFiles, SamplesMayBeNamedWithTheirResults) {
  const Results results = some_results();
  ASSERT_TRUE(results::write_flat(path_, results));
  EXPECT_EQ(results::load_results({path_, samples_})->points, results.points);
}

}  // namespace
}  // namespace phasebit::test
