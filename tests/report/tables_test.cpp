#include "analysis/report/tables.h"

#include "tests/report/results.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using record::PointRow;
using report::data::report_data;
using report::data::TableArguments;
using table::TableFormat;

namespace {

std::string ring(const std::string& rest) {
  return "ring/mbarrier/st_shared/none" + rest;
}

// Only cells that belong into a table may be in it, so most of these do not.
record::Results some_data() {
  PointRow four = measured(ring(""), 40);
  four.sass_class = "0123456789abcdef";
  const PointRow cta = steady("ring/cta_barrier/st_shared/none/num_stages=2", 30);
  const std::string token = "handoff/mbarrier/none/none/num_stages=1";
  const PointRow trip = steady(token, 158);
  PointRow flagged = steady(ring("/wait=test_wait/num_stages=8"), 33);
  flagged.quality.throttled = true;
  return results_of(
      {four, steady(ring("/num_stages=1"), 90), flagged, cta, trip,
       failed_point(ring("/wait=test_wait"), Step::gate, "the SASS is not the intended one: x"),
       ungated_point(ring("/arrival=thread"), "no rule covers this family"),
       same_code("handoff/mbarrier/none/none/wait=test_wait/num_stages=1", trip),
       steady(ring("/num_stages=3"), 50), steady(ring("/num_stages=2/producers=2/consumers=2"), 44),
       steady(ring("/payload_bytes=8192"), 400), steady("ring/mbarrier/none/none", 20),
       steady(token + "/producers=2/consumers=2", 170),
       // 150 cycles, and 8 of the loop.
       steady_at(token + "/unroll=4", 152), steady_at(token + "/unroll=8", 151)});
}

std::string table_text(const std::string& name, const TableArguments& arguments = {},
                       TableFormat format = TableFormat::text) {
  return text_of(make_table(some_data(), name, arguments), format);
}

TEST(CoreTable, HasARowForWhatIsWaitedOnAndWhoArrivesAtTheBaseline) {
  EXPECT_EQ(
      table_text("core", {{"mover", "st_shared"}}),
      "protocol     waited on  arrival  warp layout  round trip  with its loop   1 stage  2 stages"
      "      4 stages  8 stages  SASS class  flags\n"
      "cta_barrier  barrier    -        1 x 1 warps                                       30.00 "
      "±0\n"
      "mbarrier     try_wait   warp     1 x 1 warps   150.00 ±0      158.00 ±0  90.00 ±0          "
      "         40 ±1            01234567\n"
      "mbarrier     try_wait   thread   1 x 1 warps                                               "
      "     not gated            class ri\n"
      "mbarrier     test_wait  warp     1 x 1 warps                  158.00 ±0                    "
      "  failed: gate  33.00 ±0  class ri    throttled: 8 stages\n"
      "Cycles per item by number of stages, the ring's loop in it; round trip: cycles of a token "
      "to "
      "the consumer and back, alone and with its loop. The SASS class is that of 4 stages. ± is "
      "how far the 95 % interval reaches from the median over repetitions that differ in start "
      "offset, SM, sub-partitions and where the code lies.\n"
      "ring/mbarrier/st_shared/none/arrival=thread: gate: not gated: no rule covers this family.\n"
      "ring/mbarrier/st_shared/none/wait=test_wait: gate: the SASS is not the intended one: x.\n");
}

// No mover is the one that is meant.
TEST(CoreTable, HasEveryMoverWhereNoneIsNamed) {
  EXPECT_EQ(table_text("core", {{"wait", "try_wait"}, {"arrival", "warp"}}, TableFormat::csv),
            "protocol,mover,waited on,warp layout,round trip,round trip half width,with its loop,"
            "with its loop half width,1 stage,"
            "1 stage half width,2 stages,4 stages,4 stages half width,8 stages,SASS class\n"
            "mbarrier,none,try_wait,1 x 1 warps,150,0,158,0,,,,20,0,,class ri\n"
            "mbarrier,st_shared,try_wait,1 x 1 warps,150,0,158,0,90,0,,40,1,,01234567\n");
}

TEST(CoreTable, TakesAMoverOrProtocol) {
  EXPECT_EQ(table_text("core", {{"mover", "none"}}, TableFormat::csv),
            "protocol,waited on,arrival,warp layout,round trip,round trip half width,with its loop,"
            "with its loop half width,1 stage,"
            "2 stages,4 stages,4 stages half width,8 stages,SASS class\n"
            "mbarrier,try_wait,warp,1 x 1 warps,150,0,158,0,,,20,0,,class ri\n");
  EXPECT_EQ(table_text("core", {{"protocol", "cta_barrier"}}, TableFormat::csv),
            "mover,waited on,arrival,warp layout,round trip,with its loop,1 stage,2 stages,"
            "2 stages half width,"
            "4 stages,8 stages,SASS class\n"
            "st_shared,barrier,-,1 x 1 warps,,,,30,0,,,\n");
}

TEST(LayoutsTable, HasARowAWarpLayoutAndPayload) {
  EXPECT_EQ(
      table_text("layouts", {{"protocol", "mbarrier"}}, TableFormat::csv),
      "mover,warp layout,payload bytes,1 stage,1 stage half width,2 stages,2 stages half width,"
      "4 stages,4 stages half width,8 stages,SASS class\n"
      "none,1 x 1 warps,-,,,,,20,0,,class ri\n"
      "st_shared,1 x 1 warps,512,90,0,,,40,1,,01234567\n"
      "st_shared,1 x 1 warps,8192,,,,,400,0,,class ri\n"
      "st_shared,2 x 2 warps,512,,,44,0,,,,\n");
}

TEST(PivotTable, CutsByAnyAxis) {
  EXPECT_EQ(table_text("pivot",
                       {{"rows", "num_stages"},
                        {"across", "wait:try_wait,test_wait"},
                        {"protocol", "mbarrier"},
                        {"mover", "st_shared"},
                        {"work", "none"}},
                       TableFormat::csv),
            "num stages,wait=try_wait,wait=try_wait half width,wait=test_wait,"
            "wait=test_wait half width,flags\n"
            "4,40,1,failed: gate,,\n"
            "1,90,0,,,\n"
            "3,50,0,,,\n"
            "8,,,33,0,throttled\n");
}

// The layout of unified warps says nothing of their consumers: two variants, one cell.
TEST(PivotTable, RefusesTwoVariantsInOneCell) {
  const std::string id = ring("/roles=unified/producers=4");
  const auto table = make_table({steady(id, 50), steady(id + "/consumers=4", 60)}, "layouts");
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().text(), "usage: " + id + " and " + id +
                                      "/consumers=4 would be in one cell (they differ in " +
                                      "consumers: hold it at a value)");
}

// An axis that a protocol leaves blank tells its variants apart where it is named.
TEST(PivotTable, ShowsABlankAxisWhereItIsNamed) {
  const std::string flag = "ring/flag_volatile/st_shared/none";
  const auto table = make_table(
      {steady(flag, 248), steady(flag + "/arrival=thread", 208), steady(flag + "/poller=one", 627)},
      "core");
  ASSERT_TRUE(table);
  std::vector<std::pair<std::string, std::string>> rows;
  for (const auto& row : table->rows)
    rows.emplace_back(row[2].text + ", " + row[3].text, row[9].text);
  EXPECT_EQ(rows, (std::vector<std::pair<std::string, std::string>>{
                      {"flag, every lane looks, -", "248.00 ±0"},
                      {"flag, every lane looks, thread", "208.00 ±0"},
                      {"flag, one lane looks, -", "627.00 ±0"}}));
}

TEST(Tables, NameTheNearestWordForATypo) {
  struct Row {
    const char* table;
    TableArguments arguments;
    const char* error;
  };
  const Row rows[] = {
      {"cores", {}, "usage: no table 'cores' (did you mean 'core'?)"},
      {"core",
       {{"protocl", "x"}},
       "usage: no axis or argument 'protocl' (did you mean 'protocol'?)"},
      {"core", {{"rows", "wiat"}}, "usage: no axis or argument 'wiat' (did you mean 'wait'?)"},
      {"core",
       {{"mover", "st_share"}},
       "usage: no measured variant has mover=st_share (did you mean 'st_shared'?)"},
      {"pivot", {{"across", "wait"}}, "usage: across=wait (across=AXIS:VALUE,VALUE)"},
      {"core",
       {{"num_stages", "3"}, {"work", "none"}, {"wait", "test_wait"}},
       "usage: no measured variant is in this table (axes that are neither rows nor across nor "
       "named are at their default)"},
      {"counts", {{"x", "y"}}, "usage: this table takes no argument 'x'"}};
  for (const Row& row : rows) EXPECT_EQ(table_text(row.table, row.arguments), row.error);
}

TEST(CountsTable, SaysWhatWasMeasuredWhereAndHowWell) {
  const PointRow a = steady("ring/a", 50), b = steady("ring/b", 20),
                 later = steady("ring/b", 20, 1), base = steady("ring/f", 100);
  PointRow shifted = steady("ring/f", 104, 1);
  shifted.conditions.start_offset = 7;
  const std::vector<PointRow> points = {a,
                                        control_of(a, 51),
                                        b,
                                        later,
                                        base,
                                        shifted,
                                        same_code("ring/c", b),
                                        failed_point("ring/d", Step::launch, "killed"),
                                        ungated_point("ring/e", "no rule covers this family")};
  EXPECT_EQ(
      text_of(make_table(points, "counts")),
      "NVIDIA H200 (sm_90a), driver 580.1, ptxas 13.5.37, 2026-01-02.\n"
      "6 variants: 3 measured in 1 to 2 repetitions, 1 more assemble to identical SASS and share a "
      "result, 1 failed, 1 ungated.\n"
      // Differences 1 of 50 and 0 of 20: medians 0.5 and 1 %, at 0.95 of the way 0.95 and 1.9 %.
      "Repeatability (A/A, 2 pairs): median 0.500, 95th percentile 0.950 cycles (1.000 %, 1.900 %)."
      "\n"
      // Spreads 0 of 20 and 4 of 102: median 2 and 1.961 %, at 0.95 of the way 3.8 and 3.725 %.
      "Moved by what must not matter (B/B, 2 variants): median 2.000, 95th percentile 3.800 cycles "
      "(1.961 %, 3.725 %).\n");
}

TEST(AaTable, HasARowAStratum) {
  const PointRow a = steady("ring/mbarrier/m/w", 50);
  const std::vector<PointRow> points = {a, control_of(a, 51), steady("ring/mbarrier/m/w", 50, 1)};
  EXPECT_EQ(
      text_of(make_table(points, "aa")),
      "stratum        between                   pairs  median cycles  median percent  p95 cycles"
      "  p95 percent\n"
      "ring/mbarrier  control, same repetition      1          1.000          2.00 %       1.000"
      "       2.00 %\n"
      "ring/mbarrier  repetitions                   1          0.000          0.00 %       0.000"
      "       0.00 %\n"
      "all            both                          2          0.500          1.00 %       0.950"
      "       1.90 %\n");
}

// Differences of 0 to 100 cycles of 1000.
TEST(AaTable, HasTheMedianAndThe95thPercentile) {
  std::vector<PointRow> points;
  for (std::uint64_t n = 0; n <= 100; ++n) {
    points.push_back(steady(fmt::format("{}/num_stages={}", ring(""), n + 5), 1000));
    points.push_back(control_of(points.back(), 1000 + n));
  }
  EXPECT_EQ(rows_of(points, "aa").back(), "all|both|101|50.000|5.00 %|95.000|9.50 %");
}

TEST(AnchorsTable, HasSlopeInterceptAndClock) {
  PointRow fma = steady("anchor/fma", 4), lost = failed_point("anchor/x", Step::launch, "killed");
  fma.kind = lost.kind = record::PointKind::anchor;
  EXPECT_EQ(text_of(make_table({fma, lost}, "anchors")),
            "anchor  unit                      slope  intercept   MHz\n"
            "fma     cycles per item         4.00 ±0     100.00  1980\n"
            "x       cycles per item  failed: launch\n"
            "anchor/x: launch: killed.\n");
}

TEST(ErrorsTable, HasTheReasonOfEveryMissingFigure) {
  EXPECT_EQ(
      table_text("errors", {}, TableFormat::csv),
      "variant,why it has no figure\n"
      "ring/mbarrier/st_shared/none/arrival=thread,gate: not gated: no rule covers this family\n"
      "ring/mbarrier/st_shared/none/wait=test_wait,gate: the SASS is not the intended one: x\n");
}

TEST(Figure, IsOfAVariantOrOfAll) {
  const std::pair<TableArguments, const char*> rows[] = {
      {{{"variant", ring("")}, {"field", "cycles"}}, "40"},
      {{{"variant", ring("")}, {"field", "interval"}}, "40 ±1"},
      {{{"field", "low"}, {"variant", ring("")}}, "39"},
      {{{"variant", ring("")}, {"field", "sass_class"}}, "01234567"},
      {{{"field", "variants"}}, "15"},
      {{{"field", "device"}}, "NVIDIA H200"},
      {{{"variant", ring("")}, {"field", "cylces"}},
       "usage: no field 'cylces' (did you mean 'cycles'?)"},
      {{{"variant", ring("/wait=tst_wait")}, {"field", "cycles"}},
       "usage: the results have no variant 'ring/mbarrier/st_shared/none/wait=tst_wait' (did you "
       "mean "
       "'ring/mbarrier/st_shared/none/wait=test_wait'?)"},
      {{{"variant", ring("/wait=test_wait")}, {"field", "cycles"}},
       "store: ring/mbarrier/st_shared/none/wait=test_wait has no figure: gate: the SASS is not "
       "the "
       "intended one: x"},
      {{{"varaint", ""}}, "usage: a figure has no argument 'varaint' (did you mean 'variant'?)"},
      {{{"variant", ring("")}}, "usage: a figure without field= (field=cycles)"}};
  for (const auto& [arguments, text] : rows) {
    const auto figure = make_figure(some_data(), arguments);
    EXPECT_EQ(figure ? *figure : figure.error().text(), text);
  }
}

TEST(ReportData, IsOfOneDevice) {
  record::Results results = results_of({steady("ring/a", 5)});
  results.devices.push_back({"GPU-2", "NVIDIA B200", "580.1", "sm_100", 148, 1, 1});
  EXPECT_EQ(report_data(test::with_keys(results), "B200")->rows.size(), 0U);
  EXPECT_EQ(report_data(test::with_keys(results), "GPU-1")->rows.size(), 1U);
  EXPECT_EQ(report_data(test::with_keys(results)).error().text(),
            "usage: the results are of 2 devices (device= one of: NVIDIA H200 (GPU-1), NVIDIA B200 "
            "(GPU-2))");
  EXPECT_EQ(report_data(test::with_keys(results), "A100").error().text(),
            "usage: the results hold no device 'A100' (device= one of: NVIDIA H200 (GPU-1), NVIDIA "
            "B200 (GPU-2))");
  EXPECT_EQ(report_data({}).error().text(), "store: the results hold no device");
}

}  // namespace
}  // namespace phasebit::test
