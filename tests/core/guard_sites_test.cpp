#include "core/launch/guard_sites.h"

#include <cstddef>

#include <gtest/gtest.h>

namespace phasebit::test {

using launch::describe_crumbs;
using launch::GuardHeader;
using launch::GuardReport;
using launch::WaitKind;

namespace {

launch::GuardTable table_of(WaitKind kind) {
  return {{{1, kind, "k", "wait.ptx", 5, "wait", "consumer", "op", "x", "y"},
           {2, WaitKind::unknown, "k", "k.cu", 9, "", "", "griddepcontrol.wait", "", ""}},
          {{"full_barrier", 0, 8, 4}, {"empty_barrier", 32, 8, 4}}};
}

GuardReport report_of(std::uint64_t operand, std::uint64_t value, std::uint64_t address) {
  return {1, 1, 3, 2, 31, 7, operand, value, address, 0, 50, 1024, 0, 0};
}

struct Row {
  WaitKind kind;
  GuardReport report;
  const char* text;
};

const Row rows[] = {
    {WaitKind::parity, report_of(1, 0, 1024 + 16),
     "deadlock: warp 2 lane 31 waits on full_barrier[2] parity 1 at wait.ptx:5 (consumer wait, cta "
     "3)"},
    {WaitKind::parity, report_of(0, 0, 1024 + 32 + 24),
     "deadlock: warp 2 lane 31 waits on empty_barrier[3] parity 0 at wait.ptx:5 (consumer wait, "
     "cta "
     "3)"},
    {WaitKind::state, report_of(0xab, 0, 1024 + 64),
     "deadlock: warp 2 lane 31 waits on address 0x440 state 0xab at wait.ptx:5 (consumer wait, cta "
     "3)"},
    {WaitKind::flag, report_of(3, 2, 1024),
     "deadlock: warp 2 lane 31 waits for full_barrier[0] = 3, found 2, at wait.ptx:5 (consumer "
     "wait, cta 3)"},
    {WaitKind::barrier, report_of(5, 32, 64),
     "deadlock: warp 2 lane 31 waits at barrier 5 with 32 of 64 arrivals at wait.ptx:5 (consumer "
     "wait, cta 3)"},
    {WaitKind::cluster_barrier, report_of(0, 32, 64),
     "deadlock: warp 2 lane 31 waits at the cluster barrier with 32 of 64 arrivals at wait.ptx:5 "
     "(consumer wait, cta 3)"},
    {WaitKind::registers, report_of(232, 2048, 4096),
     "deadlock: warp 2 lane 31 waits for 232 registers a thread, 4096 for its warp, with 2048 "
     "given "
     "to the CTA's pool at wait.ptx:5 (consumer wait, cta 3)"},
    {WaitKind::call, report_of(0, 9, 0),
     "deadlock: warp 2 lane 31 waits for a function's 9 at wait.ptx:5 (consumer wait, cta 3)"},
};

TEST(GuardSites, ReportsReadLikeSentences) {
  for (const Row& row : rows) EXPECT_EQ(launch::describe(row.report, table_of(row.kind)), row.text);
  EXPECT_EQ(launch::describe(GuardReport{}, {}), "no fault");
  EXPECT_EQ(launch::describe(report_of(0, 0, 0), {}),
            "deadlock: warp 2 lane 31 waits at site 1, which is not in the table (cta 3)");
}

// The file that was given, what its heading names, and the item where the text says which register
// holds it.
TEST(GuardSites, HeadingAndItemStandBesideThePlace) {
  launch::GuardTable table = table_of(WaitKind::parity);
  table.sites[0].heading = "protocols/mbarrier/wait.ptx:3";
  table.sites[0].item = "c_item";
  GuardReport report = report_of(1, 0, 1024);
  report.item = 18;
  const std::string before = "deadlock: warp 2 lane 31 waits on full_barrier[0] parity 1 at ";
  EXPECT_EQ(launch::describe(report, table),
            before + "wait.ptx:5 (protocols/mbarrier/wait.ptx:3, consumer wait, item 18, cta 3)");
  EXPECT_EQ(describe_crumbs({1}, table),
            "cta 0 warp 0 at wait.ptx:5 (op, protocols/mbarrier/wait.ptx:3, consumer wait)");
  table.sites[0].callers = "k.cu:12, k.cu:40";
  EXPECT_EQ(
      describe_crumbs({1}, table),
      "cta 0 warp 0 at wait.ptx:5 (op, protocols/mbarrier/wait.ptx:3, consumer wait, called at "
      "k.cu:12, k.cu:40)");
  table.sites[0].callers.clear();
  report.item = ~std::uint64_t{0};  // the register cannot be read there
  EXPECT_EQ(launch::describe(report, table),
            before + "wait.ptx:5 (protocols/mbarrier/wait.ptx:3, consumer wait, cta 3)");
}

TEST(GuardSites, TheWordIsDecoded) {
  GuardReport report = report_of(0, 0, 1024);
  report.word = 0x7ffce800001fff38;
  EXPECT_NE(launch::describe(report, table_of(WaitKind::parity), 90)
                .find("; word 0x7ffce800001fff38: parity 0, 99 of 100 arrivals"),
            std::string::npos);
}

TEST(GuardSites, BreadcrumbsNameWarps) {
  EXPECT_EQ(describe_crumbs({0, 0}, table_of(WaitKind::flag)), "");
  std::vector<std::uint32_t> crumbs(70);
  crumbs[1] = 1;
  crumbs[33] = 2;
  crumbs[69] = 7;
  EXPECT_EQ(describe_crumbs(crumbs, table_of(WaitKind::flag)),
            "cta 0 warp 1 at wait.ptx:5 (op, consumer wait); cta 1 warp 1 at k.cu:9 "
            "(griddepcontrol.wait); cta 2 warp 5 at site 7");
  EXPECT_EQ(describe_crumbs(crumbs, table_of(WaitKind::flag), 1),
            "cta 0 warp 1 at wait.ptx:5 (op, consumer wait); and 2 more");
}

// What PTX writes by name is where C++ has it.
TEST(GuardBlock, OffsetsAreThoseOfTheComments) {
  EXPECT_EQ(offsetof(GuardHeader, status), 8U);
  EXPECT_EQ(offsetof(GuardHeader, traps), 12U);
  EXPECT_EQ(offsetof(GuardHeader, limit_ns), 16U);
  EXPECT_EQ(offsetof(GuardHeader, report), 24U);
  EXPECT_EQ(offsetof(GuardHeader, crumbs), 32U);
  EXPECT_EQ(offsetof(GuardHeader, ctas), 44U);
  EXPECT_EQ(offsetof(GuardHeader, owner), 48U);
  EXPECT_EQ(offsetof(GuardHeader, left), 56U);
  EXPECT_EQ(offsetof(launch::GuardCta, cluster_barrier), 128U);
  EXPECT_EQ(offsetof(launch::GuardCta, exited), 136U);
  EXPECT_EQ(offsetof(launch::GuardCta, pool), 144U);
  EXPECT_EQ(offsetof(launch::GuardCta, registers), 148U);
  EXPECT_EQ(offsetof(GuardReport, word), 48U);
  EXPECT_EQ(offsetof(GuardReport, item), 72U);
}

}  // namespace
}  // namespace phasebit::test
