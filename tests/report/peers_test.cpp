#include "core/base/hash.h"
#include "tests/report/results.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using record::PointRow;

namespace {

const std::string ours = "ring/mbarrier/st_shared/none/payload_bytes=128";
const std::string flags = "ring/flag_volatile/st_shared/none/payload_bytes=128";

std::string peer(const std::string& protocol, const std::string& axes) {
  return fmt::format(
      "ring/{}/st_shared/none/{}/payload_bytes=128/nvcc=13.5.37/flags=-O3,-DNDEBUG/"
      "library=cccl-3.5.0",
      protocol, axes);
}

// Without the last two columns: made by, variant.
std::vector<std::string> peers_of(std::vector<PointRow> points,
                                  const report::data::TableArguments& arguments = {}) {
  std::vector<std::string> rows = rows_of(std::move(points), "peers", arguments);
  for (std::string& row : rows)
    for (int column = 0; column < 2; ++column) row.erase(std::min(row.rfind('|'), row.size()));
  return rows;
}

TEST(PeersTable, HasEachAtItsBest) {
  const std::vector<PointRow> points = {
      steady(ours, 100),
      steady(ours + "/num_stages=8", 60),
      steady(flags, 40),
      steady(peer("theirs", "num_stages=2/arrival=thread"), 300),
      steady(peer("theirs", "num_stages=4/arrival=warp"), 240),
      steady(peer("others", "num_stages=4"), 80),
  };
  EXPECT_EQ(peers_of(points, {{"ours", "mbarrier"}}),
            (std::vector<std::string>{
                "template|flag_volatile|st_shared|specialized|4 stages|1|40.00 ±0|-|-",
                "template|mbarrier|st_shared|specialized|8 stages|1|60.00 ±0|-|-",
                "nvcc|others|st_shared|specialized|4 stages|1|80.00 ±0|0.75|0.50",
                "nvcc|theirs|st_shared|specialized|4 stages, arrival=warp|1|240.00 ±0|0.25|0.17",
            }));
}

// 240 cycles of 8 items are 30 of one. What hands over several at once has rows of its own, and
// stands beside a peer's single items in a column of its own.
TEST(PeersTable, DividesByTheItemsOfAPhase) {
  const std::vector<PointRow> points = {
      steady(ours, 100),
      steady(ours + "/items_a_phase=4", 140),
      steady(ours + "/items_a_phase=8", 240),
      steady(flags + "/items_a_phase=2", 50),
      steady(peer("theirs", "num_stages=4"), 200),
      steady(peer("theirs", "num_stages=4/items_a_phase=8"), 480),
  };
  EXPECT_EQ(peers_of(points, {{"ours", "mbarrier"}}),
            (std::vector<std::string>{
                "template|flag_volatile|st_shared|specialized|4 stages|2|25.00 ±0|-|-|-",
                "template|mbarrier|st_shared|specialized|4 stages|8|30.00 ±0|-|-|-",
                "template|mbarrier|st_shared|specialized|4 stages|1|100.00 ±0|-|-|-",
                "nvcc|theirs|st_shared|specialized|4 stages|8|60.00 ±0|0.50|-|0.42",
                "nvcc|theirs|st_shared|specialized|4 stages|1|200.00 ±0|0.50|0.15|0.50",
            }));
}

// The interval is that of the phase by its items: slopes of 239 to 241 for 8 items.
TEST(PeersTable, DividesTheIntervalToo) {
  const auto table = make_table(
      {measured(ours + "/items_a_phase=8", 240), steady(peer("theirs", "num_stages=4"), 9)},
      "peers");
  ASSERT_TRUE(table) << table.error().text();
  EXPECT_EQ(table->rows.front()[6].value, 30.0);
  EXPECT_EQ(table->rows.front()[6].half_width, 0.125);
}

// cuda::pipeline of block scope and of thread scope are two rings.
TEST(PeersTable, KeepsScopesApart) {
  const std::vector<PointRow> points = {
      steady(ours, 100),
      steady(peer("theirs", "roles=unified/num_stages=4/scope=block"), 300),
      steady(peer("theirs", "roles=unified/num_stages=4/scope=thread"), 200),
      steady(peer("theirs", "roles=unified/num_stages=8/scope=thread"), 250),
  };
  EXPECT_EQ(peers_of(points),
            (std::vector<std::string>{
                "template|mbarrier|st_shared|specialized|4 stages|1|100.00 ±0|-",
                "nvcc|theirs|st_shared|unified|4 stages, scope=thread|1|200.00 ±0|-",
                "nvcc|theirs|st_shared|unified|4 stages, scope=block|1|300.00 ±0|-",
            }));
}

// Of other payloads, layouts and runs nothing is beside a peer.
TEST(PeersTable, ComparesEqualsOfOneRun) {
  PointRow other_day = steady(flags, 10);
  other_day.run_id = "run-0";
  const std::vector<PointRow> points = {
      steady(ours, 100),
      other_day,
      steady("ring/mbarrier/st_shared/none", 20),
      steady(ours + "/consumers=4", 30),
      steady(peer("theirs", "num_stages=4"), 200),
      steady(peer("theirs", "roles=unified/num_stages=4"), 50),
  };
  EXPECT_EQ(peers_of(points), (std::vector<std::string>{
                                  "template|mbarrier|st_shared|specialized|4 stages|1|100.00 ±0|-",
                                  "nvcc|theirs|st_shared|unified|4 stages|1|50.00 ±0|-",
                                  "nvcc|theirs|st_shared|specialized|4 stages|1|200.00 ±0|0.50",
                              }));
  EXPECT_EQ(peers_of(points, {{"num_stages", "8"}}),
            (std::vector<std::string>{"usage: no measured variant has num_stages=8 (one of: 4)"}));
}

TEST(PeersTable, SaysWhatIsMissing) {
  EXPECT_EQ(peers_of({steady(ours, 100)}),
            std::vector<std::string>{"usage: no peer with slots of 128 bytes was measured "
                                     "(tools/peers makes a bundle of them and of our rings)"});
  EXPECT_EQ(peers_of({steady(peer("theirs", "num_stages=4"), 200)}, {{"payload_bytes", "256"}}),
            std::vector<std::string>{"usage: no peer with slots of 256 bytes was measured "
                                     "(tools/peers makes a bundle of them and of our rings)"});
}

TEST(PeersTable, SaysByWhatEachWasMade) {
  const std::string id = peer("theirs", "num_stages=4");
  const auto table = make_table({steady(ours, 100), steady(id, 200)}, "peers");
  ASSERT_TRUE(table) << table.error().text();
  const std::vector<table::Cell>& row = table->rows.back();
  EXPECT_EQ(row[row.size() - 2].text, "nvcc 13.5.37 -O3 -DNDEBUG, cccl-3.5.0");
  EXPECT_EQ(row.back().text, base::short_hash(id));
}

}  // namespace
}  // namespace phasebit::test
