#include "gen/ptxas/messages.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using ptxas::parse_ptxas_output;
using ptxas::PtxasReport;

namespace {

using Severity = ptxas::PtxasMessage::Severity;

// One line of ptxas's, as its versions from 11.8 to 13.5 write it.
struct MessageRow {
  const char* output;
  Severity severity;
  int line;
  const char* text;
};

constexpr MessageRow message_rows[] = {
    {"ptxas bad.ptx, line 61; error   : Unknown modifier '.foo'\n", Severity::error, 61,
     "Unknown modifier '.foo'"},
    {"ptxas bad.ptx, line 159; fatal   : Parsing error near '.entry': syntax error\n",
     Severity::fatal, 159, "Parsing error near '.entry': syntax error"},
    {"ptxas info    : (C7508) Potential Performance Loss: 'setmaxnreg' ignored\n", Severity::info,
     0, "(C7508) Potential Performance Loss: 'setmaxnreg' ignored"},
    {"ptxas warning : Registers are spilled to local memory in function 'k', 8 bytes spill stores",
     Severity::warning, 0,
     "Registers are spilled to local memory in function 'k', 8 bytes spill stores"},
    {"ptxas fatal   : Unknown option '-x'\n", Severity::fatal, 0, "Unknown option '-x'"},
};

TEST(PtxasMessages, HaveSeverityLineAndText) {
  for (const MessageRow& row : message_rows) {
    const PtxasReport report = parse_ptxas_output(row.output);
    ASSERT_EQ(report.messages.size(), 1U) << row.output;
    EXPECT_EQ(report.messages[0].severity, row.severity) << row.output;
    EXPECT_EQ(report.messages[0].line, row.line) << row.output;
    EXPECT_EQ(report.messages[0].text, row.text) << row.output;
  }
}

TEST(PtxasMessages, EndOfAnotherMessageIsNone) {
  EXPECT_TRUE(
      parse_ptxas_output("ptxas fatal   : Ptx assembly aborted due to errors\n").messages.empty());
  EXPECT_TRUE(parse_ptxas_output("").messages.empty());
  EXPECT_TRUE(parse_ptxas_output("no word of ptxas\nptxas\n").messages.empty());
}

// The order and wording of 13.5.
TEST(PtxasResources, OfThirteenPointFive) {
  const PtxasReport report = parse_ptxas_output(
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'b' for 'sm_90a'\n"
      "ptxas info    : Function properties for b\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 6 registers, used 16 barriers\n"
      "ptxas info    : Compile time = 2.837 ms\n"
      "ptxas info    : Compiling entry function 'a' for 'sm_90a'\n"
      "ptxas info    : Function properties for a\n"
      "    24 bytes stack frame, 12 bytes spill stores, 20 bytes spill loads\n"
      "ptxas info    : Used 255 registers, used 4 barriers, 60032 bytes smem\n"
      "ptxas info    : Compile time = 2.138 ms\n");
  ASSERT_EQ(report.entries.size(), 2U);
  EXPECT_EQ(report.entries.at("b").registers, 6);
  EXPECT_EQ(report.entries.at("b").barriers, 16);
  EXPECT_EQ(report.entries.at("b").static_shared_bytes, 0);
  const launch::Resources& a = report.entries.at("a");
  EXPECT_EQ(a.registers, 255);
  EXPECT_EQ(a.barriers, 4);
  EXPECT_EQ(a.static_shared_bytes, 60032);
  EXPECT_EQ(a.stack_bytes, 24);
  EXPECT_EQ(a.spill_store_bytes, 12);
  EXPECT_EQ(a.spill_load_bytes, 20);
  EXPECT_TRUE(report.messages.empty());
}

// 11.8 names the constant bank and, for barriers, "used".
TEST(PtxasResources, OfElevenPointEight) {
  const PtxasReport report = parse_ptxas_output(
      "ptxas info    : 0 bytes gmem, 8 bytes cmem[3]\n"
      "ptxas info    : Compiling entry function 'k' for 'sm_80'\n"
      "ptxas info    : Function properties for k\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 10 registers, 16 bytes smem, 364 bytes cmem[0]\n");
  EXPECT_EQ(report.entries.at("k").registers, 10);
  EXPECT_EQ(report.entries.at("k").static_shared_bytes, 16);
  EXPECT_TRUE(report.messages.empty());
}

}  // namespace
}  // namespace phasebit::test
