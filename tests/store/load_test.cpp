#include "core/store/load.h"

#include "core/store/json_lines.h"
#include "tests/store/rows.h"

#include <gtest/gtest.h>

namespace phasebit {
namespace {

using namespace test;

class LoadResults : public testing::Test {
 protected:
  TempDir folder_ = TempDir::create().value();
  Results first_ = {{some_device()}, {some_run()}, {some_point("ring/a"), some_point("ring/b")}};
  Results second_ = {{some_device()}, {some_run()}, {some_point("ring/b"), some_point("ring/c")}};

  fs::path lines(const std::string& name, const Results& results) {
    EXPECT_TRUE(write_file(folder_.path() / name, to_json_lines(results)));
    return folder_.path() / name;
  }
};

TEST_F(LoadResults, MergesStoresAndLinesOnce) {
  const fs::path text = lines("a.jsonl", first_), store = folder_.path() / "b.sqlite";
  ASSERT_TRUE(import_results(store, {lines("b.jsonl", second_)}));
  const Results both = load_results({text, store, text}).value();
  std::vector<std::string> ids;
  for (const PointRow& point : both.points) ids.push_back(point.variant_id);
  EXPECT_EQ(ids, (std::vector<std::string>{"ring/a", "ring/b", "ring/c"}));
  EXPECT_EQ(load_results({text}).value(), first_);
  EXPECT_EQ(load_results({store}).value(), second_);
}

TEST_F(LoadResults, ImportingTwiceAddsNothing) {
  const fs::path store = folder_.path() / "b.sqlite", text = lines("a.jsonl", first_);
  EXPECT_EQ(import_results(store, {text})->points, 2);
  const MergeCounts again = import_results(store, {text, text}).value();
  EXPECT_EQ(again.points, 0);
  EXPECT_EQ(again.points_known, 4);
  EXPECT_EQ(load_results({store}).value(), first_);
}

TEST_F(LoadResults, NameTheFileThatIsWrong) {
  const fs::path good = lines("a.jsonl", first_), missing = folder_.path() / "none";
  EXPECT_EQ(load_results({good, missing}).error().text(),
            "io: cannot read " + missing.string() + ": No such file or directory");
  second_.points[0] = some_point("ring/b", 0, {99});
  const fs::path other = lines("b.jsonl", second_);
  EXPECT_EQ(load_results({good, other}).error().text(),
            "store: " + other.string() +
                ": ring/b (run run-1, repetition 0) is there already with another result");
  EXPECT_FALSE(import_results(folder_.path() / "new.sqlite", {good, missing}));
  EXPECT_FALSE(fs::exists(folder_.path() / "new.sqlite"));
}

}  // namespace
}  // namespace phasebit
