#include "core/results/load.h"

#include "core/results/merge.h"
#include "core/results/statistics.h"
#include "tests/results/rows.h"

#include <algorithm>
#include <ctime>

#include <gtest/gtest.h>

namespace phasebit::test {

using results::import_results;
using results::load_results;
using results::Results;

namespace {

results::VariantRow variant_of(const std::string& id) {
  results::VariantRow row;
  row.id = id;
  row.hash = "hash of " + id;
  row.defaults = std::make_shared<const launch::KeyAxes>(
      launch::KeyAxes{{"probe", "ring"}, {"protocol", id.substr(id.find('/') + 1)}});
  return row;
}

class LoadResults : public testing::Test {
 protected:
  base::TempDir folder_ = base::TempDir::create().value();
  Results first_ = results_of({"ring/a", "ring/b"});
  Results second_ = results_of({"ring/b", "ring/c"});

  static Results results_of(const std::vector<std::string>& ids) {
    Results results = {{some_device()}, {some_run()}, {}};
    for (const std::string& id : ids) {
      results.points.push_back(with_figures(some_point(id)));
      results.variants.push_back(variant_of(id));
    }
    results.catalogue = results::facts_of(results);
    return results;
  }

  fs::path file(const std::string& name, const Results& results) {
    EXPECT_TRUE(results::write_flat(folder_.path() / name, results));
    return folder_.path() / name;
  }
};

TEST_F(LoadResults, MergesStoresAndFilesOnce) {
  const fs::path text = file("a.csv.zst", first_), store = folder_.path() / "b.sqlite";
  ASSERT_TRUE(import_results(store, {file("b.csv", second_)}));
  const Results both = load_results({text, store, text}).value();
  std::vector<std::string> ids;
  for (const results::PointRow& point : both.points) ids.push_back(point.variant_id);
  EXPECT_EQ(ids, (std::vector<std::string>{"ring/a", "ring/b", "ring/c"}));
  EXPECT_EQ(load_results({text}).value(), first_);
  EXPECT_EQ(load_results({store}).value(), second_);
}

TEST_F(LoadResults, ImportingTwiceAddsNothing) {
  const fs::path store = folder_.path() / "b.sqlite", text = file("a.csv.zst", first_);
  EXPECT_EQ(import_results(store, {text})->points, 2);
  const results::MergeCounts again = import_results(store, {text, text}).value();
  EXPECT_EQ(again.points, 0);
  EXPECT_EQ(again.points_known, 4);
  EXPECT_EQ(load_results({store}).value(), first_);
}

TEST_F(LoadResults, NameTheFileThatIsWrong) {
  const fs::path good = file("a.csv.zst", first_), missing = folder_.path() / "none";
  EXPECT_EQ(load_results({good, missing}).error().text(),
            "io: cannot read " + missing.string() + ": No such file or directory");
  second_.points[0] = with_figures(some_point("ring/b", 0, {99}));
  const fs::path other = file("b.csv", second_);
  EXPECT_EQ(load_results({good, other}).error().text(),
            "store: " + other.string() +
                ": ring/b (run run-1, repetition 0) is there already with another result");
  EXPECT_FALSE(import_results(folder_.path() / "new.sqlite", {good, missing}));
  EXPECT_FALSE(fs::exists(folder_.path() / "new.sqlite"));
}

// An axis that a file does not know is at its default in its rows, unless rows of the same
// components whose file knows it are without: then some of the old ones would be, too.
TEST(MergeResults, RowsOfAnOlderFileHaveANewAxisAtItsDefault) {
  const auto with = [](const std::string& id, const launch::KeyAxes& more) {
    results::VariantRow row = variant_of(id);
    launch::KeyAxes axes = {{"probe", "ring"}, {"protocol", "p"}, {"wait", "try"}};
    axes.insert(axes.end(), more.begin(), more.end());
    row.defaults = std::make_shared<const launch::KeyAxes>(axes);
    return row;
  };
  const auto axis_of_old = [&](const std::vector<results::VariantRow>& of_newer_file) {
    results::MergedResults merged;
    EXPECT_TRUE(merged.add({{some_device()}, {some_run()}, {}, {with("ring/old", {})}}));
    EXPECT_TRUE(merged.add({{some_device()}, {some_run()}, {}, of_newer_file}));
    return merged.take().variants.at(0).value("frees");
  };
  EXPECT_EQ(axis_of_old({with("ring/new", {{"frees", "used"}})}), "used");
  EXPECT_EQ(axis_of_old({with("ring/new", {{"frees", "used"}}), with("ring/unified", {})}), "");
  EXPECT_EQ(axis_of_old({with("ring/same", {})}), "");
}

// Twice the rows take twice the time; a pass over all rows for each would take four times.
TEST(MergeResults, IsLinear) {
  const auto ticks = [](int count) {
    results::MergedResults ours;
    Results theirs = {{some_device()}, {some_run()}, {}};
    for (int i = 0; i < count; ++i) {
      theirs.points.push_back(with_figures(some_point("ring/" + std::to_string(i))));
      theirs.variants.push_back(variant_of("ring/" + std::to_string(i)));
    }
    const Results again = theirs;
    const std::clock_t start = std::clock();  // other programs do not count
    EXPECT_TRUE(ours.add(std::move(theirs)));
    EXPECT_TRUE(ours.add(again));
    EXPECT_EQ(ours.take().points.size(), static_cast<size_t>(count));
    return static_cast<double>(std::clock() - start);
  };
  const double few = std::min({ticks(1000), ticks(1000), ticks(1000)});
  const double many = std::min({ticks(8000), ticks(8000), ticks(8000)});
  EXPECT_LT(many, 8 * 4 * few);  // 8 for the rows; 64 if it were not linear
}

}  // namespace
}  // namespace phasebit::test
