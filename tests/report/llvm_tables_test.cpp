// Variants by LLVM beside the templates', and one ring by every origin.
#include "tests/report/results.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using record::PointRow;

namespace {

const std::string ring = "ring/mbarrier/st_shared/none";
const std::string deep = "ring/mbarrier/st_shared/none/num_stages=8";
const std::string flags = "ring/flag_volatile/st_shared/none";
const std::string by_llvm = "/llvm=22.1.8";

PointRow refused(const std::string& id) {
  PointRow point = steady(id, 1);
  point.samples.clear();
  point.error = record::PointError{Step::gate, "the SASS is not the intended one"};
  return point;
}

// 105 of 100 is at most 5 % slower, 80 of 100 more than 5 % faster; -O0 and 64-bit addresses are
// no pairs of this table.
TEST(LlvmTable, CountsPairsByClass) {
  const std::vector<PointRow> points = {
      steady(ring, 100),
      steady(ring + by_llvm, 105),
      steady(deep, 100),
      steady(deep + by_llvm, 80),
      steady(flags, 100),
      steady(flags + by_llvm, 106),
      steady(flags + "/num_stages=8", 50),
      refused(flags + "/num_stages=8" + by_llvm),
      steady(ring + by_llvm + "/llvm_opt=0", 300),
      steady(ring + by_llvm + "/short_ptr=off", 300),
  };
  EXPECT_EQ(rows_of(points, "llvm"),
            (std::vector<std::string>{
                "ring|flag_volatile|st_shared|1|0|0|1.060|1.060|1.060|" + flags + "|1",
                "ring|mbarrier|st_shared|2|2|1|0.800|1.050|1.050|" + ring + "|0",
                "all|||3|2|1|0.800|1.050|1.060|" + flags + "|1",
            }));
  EXPECT_EQ(rows_of(points, "llvm", {{"protocol", "mbarrier"}}).size(), 2U);
}

// A figure of LLVM without one of the templates stands beside nothing.
TEST(LlvmTable, WithoutAPairSaysWhereTheyComeFrom) {
  EXPECT_EQ(rows_of({steady(ring + by_llvm, 100)}, "llvm"),
            (std::vector<std::string>{
                "usage: no variant was measured by LLVM and by the templates (specs/llvm.toml has "
                "sweeps of them, for -a llvm=none,22)"}));
}

TEST(LlvmLevelsTable, HasAColumnALevel) {
  EXPECT_EQ(rows_of({steady(ring, 100), steady(ring + by_llvm, 101),
                     steady(ring + by_llvm + "/llvm_opt=0", 140),
                     steady(ring + by_llvm + "/short_ptr=off", 102), steady(deep, 90),
                     steady(deep + by_llvm, 91)},
                    "llvm_levels"),
            (std::vector<std::string>{ring + "|100.00 ±0|140.00 ±0|-|101.00 ±0|-|102.00 ±0"}));
}

std::string peer(const std::string& axes) {
  return "ring/theirs/st_shared/none/" + axes +
         "/payload_bytes=512/nvcc=13.5.37/flags=-O3,-DNDEBUG/library=cccl-3.5.0";
}

// A fork stands beside its parent, LLVM's beside the same variant, a peer beside the fastest of the
// protocol that is asked for. Another number of stages is another ring.
TEST(OriginsTable, PutsEachBesideItsOwn) {
  const std::string thread = ring + "/arrival=thread";
  std::vector<std::string> rows =
      rows_of({steady(ring, 100), steady(ring + "/tuned=early", 80), steady(thread, 90),
               steady(ring + by_llvm, 95), steady(thread + by_llvm, 99), steady(flags, 50),
               steady(deep, 10), steady(peer("num_stages=4/arrival=thread"), 180),
               steady(peer("num_stages=8/arrival=thread"), 20)},
              "origins", {{"ours", "mbarrier"}});
  for (std::string& row : rows) row.erase(row.rfind('|'));  // the hash
  EXPECT_EQ(rows, (std::vector<std::string>{
                      "template|flag_volatile|st_shared|specialized|4 stages|50.00 ±0|-|phasebit",
                      "template|mbarrier|st_shared|specialized|4 stages, arrival=thread|90.00 ±0|-|"
                      "phasebit",
                      "tuned|mbarrier|st_shared|specialized|4 stages, tuned=early|80.00 ±0|0.80|"
                      "phasebit",
                      "nvcc|theirs|st_shared|specialized|4 stages, arrival=thread|180.00 ±0|2.00|"
                      "nvcc 13.5.37 -O3 -DNDEBUG, cccl-3.5.0",
                      "llvm|mbarrier|st_shared|specialized|4 stages|95.00 ±0|0.95|LLVM 22.1.8",
                  }));
}

TEST(OriginsTable, RefusesWhatItCannotDo) {
  EXPECT_EQ(rows_of({steady(ring, 100)}, "origins"),
            (std::vector<std::string>{"usage: origins needs ours= (ours=PROTOCOL)"}));
  EXPECT_EQ(rows_of({steady(ring, 100)}, "origins", {{"ours", "mbarrier"}}),
            (std::vector<std::string>{"usage: no peer with 4 slots of 512 bytes was measured "
                                      "(docs/llvm.md has the commands that pack one)"}));
  EXPECT_EQ(rows_of({steady(ring, 100)}, "origins", {{"stages", "4"}}),
            (std::vector<std::string>{"usage: no axis or argument 'stages' (one of: "
                                      "payload_bytes, num_stages, ours)"}));
}

}  // namespace
}  // namespace phasebit::test
