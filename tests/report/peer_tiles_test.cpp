#include "tests/report/results.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using record::PointRow;

namespace {

const std::string made_by = "/nvcc=13.5.37/flags=-O3/library=cutlass-4.2.0";

std::string ours(const std::string& axes) {
  return "ring/mbarrier_bulk/bulk/none/" + axes;
}
std::string issue(const std::string& axes) {
  return "issue/mbarrier_bulk/bulk/none/" + axes;
}
std::string theirs(const std::string& axes) {
  return "ring/their_tma/cp_async_bulk/none/" + axes + made_by;
}

std::vector<std::string> tiles_of(std::vector<PointRow> points,
                                  const report::data::TableArguments& arguments = {}) {
  return rows_of(std::move(points), "peer_tiles", arguments);
}

const std::vector<PointRow> measurements = {
    steady(ours("num_stages=1/payload_bytes=128"), 300),
    steady(ours("num_stages=1/roles=unified/payload_bytes=128"), 280),
    steady(ours("num_stages=4/producers=4/consumers=4/sharing=round_robin/payload_bytes=128"), 33),
    steady(ours("num_stages=4/payload_bytes=128"), 120),
    steady(ours("num_stages=4/payload_bytes=1024"), 130),
    steady(ours("num_stages=4/payload_bytes=1024/read=first"), 90),
    steady(ours("num_stages=4/payload_bytes=128/items_a_phase=8"), 160),
    steady(issue("num_stages=8/payload_bytes=128"), 60),
    steady(issue("num_stages=8/producers=8/sharing=round_robin/payload_bytes=128"), 20),
    steady(issue("num_stages=8/producers=4/sharing=round_robin/payload_bytes=128"), 30),
    steady(theirs("num_stages=1/payload_bytes=128"), 400),
    steady(theirs("num_stages=4/payload_bytes=128"), 150),
    steady(theirs("num_stages=4/payload_bytes=1024/consumers=1"), 260),
    steady(theirs("num_stages=4/payload_bytes=1024/consumers=4"), 100),
};

// Of 1, 2 and 4 stages one warp a role; of the best any. What reads only a part of its tile, or
// takes over several at once, is no ring of that tile. Eight warps that copy are no bound of four.
TEST(PeerTiles, HasEachTileByStagesAndAtItsBest) {
  EXPECT_EQ(tiles_of(measurements),
            (std::vector<std::string>{
                "128|1|1 stages, roles=unified|280.00 ±0|1 stages|400.00 ±0|0.70|-|-",
                "128|4|4 stages|120.00 ±0|4 stages|150.00 ±0|0.80|-|-",
                "128|best|4 stages, producers=4, consumers=4, sharing=round_robin|33.00 ±0|4 "
                "stages|150.00 ±0|0.22|30.00 ±0|1.10",
                "1024|4|4 stages|130.00 ±0|4 stages|260.00 ±0|0.50|-|-",
                "1024|best|4 stages|130.00 ±0|4 stages, consumers=4|100.00 ±0|1.30|-|-",
            }));
}

TEST(PeerTiles, TakesOneTileAndAxesOfOurs) {
  EXPECT_EQ(tiles_of(measurements, {{"payload_bytes", "128"}, {"roles", "specialized"}}),
            (std::vector<std::string>{
                "128|1|1 stages|300.00 ±0|1 stages|400.00 ±0|0.75|-|-",
                "128|4|4 stages|120.00 ±0|4 stages|150.00 ±0|0.80|-|-",
                "128|best|4 stages, producers=4, consumers=4, sharing=round_robin|33.00 ±0|4 "
                "stages|150.00 ±0|0.22|30.00 ±0|1.10",
            }));
}

TEST(PeerTiles, SaysWhatIsMissing) {
  const std::string missing =
      "usage: no peer whose slots are filled by bulk copies was measured (tools/peers makes a "
      "bundle of "
      "them and of our rings)";
  EXPECT_EQ(tiles_of({steady(ours("payload_bytes=128"), 100)}), std::vector<std::string>{missing});
  EXPECT_EQ(tiles_of(measurements, {{"payload_bytes", "256"}}),
            std::vector<std::string>{
                "usage: no measured variant has payload_bytes=256 (one of: 128, 1024)"});
}

}  // namespace
}  // namespace phasebit::test
