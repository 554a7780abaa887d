#include "tests/report/results.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using record::PointRow;

namespace {

const std::string ring = "ring/mbarrier/st_shared/none";

// Twenty A/A pairs of the stratum: rings that were measured again `apart` cycles off.
void add_controls(std::vector<PointRow>& points, std::uint64_t apart) {
  for (int stages = 5; stages < 25; ++stages) {
    points.push_back(steady(fmt::format("{}/num_stages={}", ring, stages), 100));
    points.push_back(control_of(points.back(), 100 + apart));
  }
}

std::string table_text(std::vector<PointRow> points,
                       const report::data::TableArguments& arguments = {}) {
  const auto table = make_table(std::move(points), "tuned", arguments);
  return table ? table::render(*table, table::TableFormat::csv) : table.error().text();
}

const std::string header =
    "by hand,from,cycles before,cycles before half width,cycles by hand,cycles by hand half "
    "width,difference,difference half width,change,A/A floor,verdict,SASS class before,SASS class "
    "by hand\n";

TEST(TunedTable, PutsAForkBesideItsParent) {
  std::vector<PointRow> points = {steady(ring, 100), steady(ring + "/tuned=a", 80),
                                  steady(ring + "/tuned=b", 120), steady(ring + "/tuned=c", 99),
                                  steady(ring + "/snippet.wait=w@01234567", 90)};
  add_controls(points, 2);
  EXPECT_EQ(table_text(points),
            header + "snippet.wait=w@01234567," + ring +
                ",100,0,90,0,-10,0,-10,2,faster,class ri,class ri\n" +  //
                "tuned=a," + ring + ",100,0,80,0,-20,0,-20,2,faster,class ri,class ri\n" +
                "tuned=b," + ring + ",100,0,120,0,20,0,20,2,slower,class ri,class ri\n" +
                "tuned=c," + ring + ",100,0,99,0,-1,0,-1,2,AMBIGUOUS,class ri,class ri\n");
}

TEST(TunedTable, ADifferenceWithinTheIntervalsIsAmbiguous) {
  // Half widths of 1 each: 2 together.
  std::vector<PointRow> points = {measured(ring, 100), measured(ring + "/tuned=a", 98),
                                  measured(ring + "/tuned=b", 97)};
  add_controls(points, 0);
  EXPECT_EQ(table_text(points), header + "tuned=a," + ring +
                                    ",100,1,98,1,-2,2,-2,0,AMBIGUOUS,class ri,class ri\n"
                                    "tuned=b," +
                                    ring + ",100,1,97,1,-3,2,-3,0,faster,class ri,class ri\n");
}

TEST(TunedTable, TakesTheParentsFigureOfTheSameRun) {
  PointRow other_day = steady(ring, 300, 1);
  other_day.run_id = "run-0";
  std::vector<PointRow> points = {steady(ring, 100), other_day, steady(ring + "/tuned=a", 90)};
  add_controls(points, 0);
  EXPECT_EQ(table_text(points, {{"tuned", "a"}}),
            header + "tuned=a," + ring + ",100,0,90,0,-10,0,-10,0,faster,class ri,class ri\n");
}

TEST(TunedTable, SaysWhatIsMissing) {
  const std::vector<PointRow> alone = {steady(ring + "/tuned=a", 90)};
  EXPECT_NE(table_text(alone).find(",no figure,"), std::string::npos);
  EXPECT_EQ(table_text({steady(ring, 100)}),
            "usage: nothing made by hand was measured (phasebit pack --tuned, then "
            "phasebit-bench)");
  EXPECT_EQ(table_text(alone, {{"tunde", "a"}}),
            "usage: no axis or argument 'tunde' (did you mean 'tuned'?)");
  const std::vector<PointRow> no_control = {steady(ring, 100), steady(ring + "/tuned=a", 90)};
  EXPECT_NE(table_text(no_control).find("AMBIGUOUS (no A/A control)"), std::string::npos);
}

}  // namespace
}  // namespace phasebit::test
