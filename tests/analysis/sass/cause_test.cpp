#include "analysis/compare/cause.h"

#include "tests/analysis/sass/handmade.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using compare::Cause;
using compare::Change;
using compare::describe;
using compare::diff_kernels;
using compare::find_cause;
using reading::CodeSubject;

namespace {

using Lines = std::vector<std::string>;

CodeSubject side(const Lines& lines) {
  test::Handmade made = test::handmade(lines);
  std::vector<flow::RoleWindow> windows = flow::find_windows(made.kernel, made.source);
  return {"one", 90, std::move(made.kernel), std::move(made.source), std::move(windows)};
}

// A turn is the four instructions from 0x10 on: 2 + 4 + 3 + 5 = 14 issue cycles, and one waits.
const Lines base = {
    "consumer.clock_start| CS2R R2,SR_CLOCKLO # 2",
    "consumer.wait| SYNCS.PHASECHK.TRANS64 P0,[R2],R3 # 2",
    "consumer.checksum| IADD3 R4,R4,R5,RZ # 4 1",
    "consumer.release| SYNCS.ARRIVE.TRANS64.A1T0 RZ,[R2],RZ # 3",
    "consumer| @P1 BRA 0x10 # 5",
    "consumer.clock_end| CS2R R4,SR_CLOCKLO # 2",
    "| EXIT # 5",
};

Lines cause_with(std::size_t index, const std::string& line) {
  Lines lines = base;
  lines[index] = line;
  return lines;
}

struct CauseRow {
  const char* what;
  Lines right;
  Change hot;
  Lines words;
};

const CauseRow cause_rows[] = {
    {"the same", base, Change::identical, {"none: the code is the same"}},
    {"one more YIELD",
     {base[0], base[1], base[2], "consumer| YIELD # 5", base[3], base[4], base[5], base[6]},
     Change::instructions,
     {"consumer: +YIELD x1; 4 -> 5 instructions, 14 -> 19 issue cycles, 1 -> 1 scoreboard waits"}},
    {"one wait less",
     cause_with(2, "consumer.checksum| IADD3 R4,R4,R5,RZ # 4"),
     Change::schedule,
     {"consumer: the same instructions with another schedule; 4 -> 4 instructions, 14 -> 14 issue "
      "cycles, 1 -> 0 scoreboard waits"}},
    {"another register",
     cause_with(2, "consumer.checksum| IADD3 R6,R4,R5,RZ # 4 1"),
     Change::operands,
     {"consumer: the same opcodes with other operands; 4 -> 4 instructions, 14 -> 14 issue cycles, "
      "1 -> 1 scoreboard waits"}},
    {"another order",
     {base[0], base[1], base[3], base[2], base[4], base[5], base[6]},
     Change::instructions,
     {"consumer: the same opcodes in another order or place; 4 -> 4 instructions, 14 -> 14 issue "
      "cycles, 1 -> 1 scoreboard waits"}},
    // The code in front moves the loop, and the branch with it.
    {"one more in front",
     {"| S2R R0,SR_TID.X # 2", base[0], base[1], base[2], base[3], "consumer| @P1 BRA 0x20 # 5",
      base[5], base[6]},
     Change::identical,
     {"none on the hot paths: they are the same, the loops lie at consumer 0x10 -> 0x20"}},
    {"one more behind",
     {base[0], base[1], base[2], base[3], base[4], base[5], "| MEMBAR.ALL.CTA # 2", base[6]},
     Change::identical,
     {"none on the hot paths: they are the same, the loops lie at consumer 0x10 -> 0x10"}},
};

// The largest change of the loops.
Change hot_change(const Cause& cause) {
  Change largest = Change::identical;
  for (const compare::LoopCause& loop : cause.loops) largest = std::max(largest, loop.change);
  return largest;
}

TEST(Cause, NamesWhatATurnRuns) {
  const CodeSubject left = side(base);
  for (const CauseRow& row : cause_rows) {
    SCOPED_TRACE(row.what);
    const CodeSubject right = side(row.right);
    const auto diff = diff_kernels(left, right);
    ASSERT_TRUE(diff) << diff.error().text();
    const Cause cause = find_cause(left, right, *diff);
    EXPECT_EQ(compare::to_string(hot_change(cause)), compare::to_string(row.hot));
    EXPECT_EQ(cause.problems, Lines());
    EXPECT_EQ(describe(cause, *diff), row.words);
  }
}

// The producer reads the clock twice and never turns back in between; the consumer is as above.
const Lines straight = {
    "producer.clock_start| CS2R R2,SR_CLOCKLO # 2",
    "producer.commit| SYNCS.ARRIVE.TRANS64.A1T0 RZ,[R2],RZ # 3",
    "producer.clock_end| CS2R R4,SR_CLOCKLO # 2",
};
const Lines consumer_behind = {base[0], base[1], base[2], base[3], "consumer| @P1 BRA 0x40 # 5",
                               base[5], base[6]};

TEST(Cause, ARoleWithoutALoopIsAProblem) {
  Lines left = straight, right = straight;
  left.insert(left.end(), consumer_behind.begin(), consumer_behind.end());
  right.insert(right.end(), consumer_behind.begin(), consumer_behind.end());
  right[1] = "producer.commit| SYNCS.ARRIVE.TRANS64.A1T0 RZ,[R6],RZ # 3";
  const CodeSubject a = side(left), b = side(right);
  const auto diff = diff_kernels(a, b);
  ASSERT_TRUE(diff) << diff.error().text();
  const Cause cause = find_cause(a, b, *diff);
  ASSERT_EQ(cause.loops.size(), 1U);
  EXPECT_EQ(cause.loops[0].role, "consumer");
  EXPECT_EQ(cause.loops[0].left_address, 0x40U);
  EXPECT_EQ(cause.problems, (Lines{"producer: no loop between the clock reads"}));
  // Nothing may be said to be the same where something was not compared.
  EXPECT_EQ(describe(cause, *diff),
            (Lines{"not compared: producer: no loop between the clock reads"}));
}

TEST(Cause, ARoleOfOneSideIsAProblem) {
  const Lines moved_producer = {
      "producer.clock_start| CS2R R2,SR_CLOCKLO # 2",
      "producer.commit| SYNCS.ARRIVE.TRANS64.A1T0 RZ,[R2],RZ # 3",
      "producer| @P1 BRA 0x10 # 5",
      "producer.clock_end| CS2R R4,SR_CLOCKLO # 2",
  };
  Lines both = moved_producer;
  both.insert(both.end(), base.begin(), base.end());
  both[8] = "consumer| @P1 BRA 0x50 # 5";
  const CodeSubject one = side(base), two = side(both);
  const auto forth = diff_kernels(one, two), back = diff_kernels(two, one);
  ASSERT_TRUE(forth && back);
  EXPECT_EQ(describe(find_cause(two, one, *back), *back),
            (Lines{"not compared: producer: not in B"}));
  EXPECT_EQ(describe(find_cause(one, two, *forth), *forth),
            (Lines{"not compared: producer: not in A"}));
}

}  // namespace
}  // namespace phasebit::test
