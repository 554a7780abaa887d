#include "analysis/compare/diff.h"

#include "analysis/compare/numbers.h"
#include "tests/analysis/sass/handmade.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace phasebit::test {

using compare::Change;
using compare::diff_kernels;
using reading::CodeSubject;

namespace {

CodeSubject diff_side(const std::vector<std::string>& lines, const char* name = "one") {
  test::Handmade made = test::handmade(lines);
  std::vector<flow::RoleWindow> windows = flow::find_windows(made.kernel, made.source);
  return {name, 90, std::move(made.kernel), std::move(made.source), std::move(windows)};
}

const std::vector<std::string> diff_base = {
    "consumer.wait| SYNCS.PHASECHK.TRANS64.TRYWAIT P0,[R2],R3 # 2",
    "consumer.wait| @!P0 BRA 0x0 # 6 1",
    "consumer.checksum| IADD3 R4,R4.reuse,R5,RZ # 4",
    "consumer.release| SYNCS.ARRIVE.TRANS64.A1T0 RZ,[R2],RZ # 3",
    "consumer| @P1 BRA 0x0 # 5",
    "| EXIT # 5",
    "| NOP # 0",
};

std::vector<std::string> with(std::size_t index, const std::string& line) {
  std::vector<std::string> lines = diff_base;
  lines[index] = line;
  return lines;
}

std::vector<std::string> with_more(std::size_t index, const std::string& line) {
  std::vector<std::string> lines = diff_base;
  lines.insert(lines.begin() + static_cast<long>(index), line);
  return lines;
}

struct DiffRow {
  const char* what;
  std::vector<std::string> right;
  Change change;
  std::array<int, compare::row_changes> aligned;
  int only_left, only_right;
};

// The last instruction is padding. One instruction is changed at a time, so the rest is identical.
const std::vector<DiffRow> diff_rows = {
    {"nothing", diff_base, Change::identical, {6, 0, 0, 0, 0}, 0, 0},
    {"padding", with_more(6, "| NOP # 0"), Change::identical, {6, 0, 0, 0, 0}, 0, 0},
    {"stall",
     with(2, "consumer.checksum| IADD3 R4,R4.reuse,R5,RZ # 5"),
     Change::schedule,
     {5, 1, 0, 0, 0},
     0,
     0},
    {"scoreboard",
     with(1, "consumer.wait| @!P0 BRA 0x0 # 6 2"),
     Change::schedule,
     {5, 1, 0, 0, 0},
     0,
     0},
    {"register",
     with(2, "consumer.checksum| IADD3 R6,R4.reuse,R5,RZ # 4"),
     Change::operands,
     {5, 0, 0, 1, 0},
     0,
     0},
    {"the word reuse alone",
     with(2, "consumer.checksum| IADD3 R4,R4,R5,RZ # 4"),
     Change::identical,
     {6, 0, 0, 0, 0},
     0,
     0},
    {"another predicate",
     with(4, "consumer| @P2 BRA 0x0 # 5"),
     Change::operands,
     {5, 0, 0, 1, 0},
     0,
     0},
    {"no predicate", with(4, "consumer| BRA 0x0 # 5"), Change::instructions, {5, 0, 0, 0, 1}, 0, 0},
    {"another way to add",
     with(2, "consumer.checksum| VIADD R4,R4 # 4"),
     Change::instructions,
     {5, 0, 0, 0, 1},
     0,
     0},
    {"another target",
     with(4, "consumer| @P1 BRA 0x20 # 5"),
     Change::operands,
     {5, 0, 0, 1, 0},
     0,
     0},
    {"another operation",
     with(3, "consumer.release| BAR.ARV 0x1,0x40 # 3"),
     Change::instructions,
     {5, 0, 0, 0, 0},
     1,
     1},
    {"one more",
     with_more(3, "consumer.release| MEMBAR.ALL.CTA # 3"),
     Change::instructions,
     {6, 0, 0, 0, 0},
     0,
     1},
};

TEST(Diff, ClassifiesOneChange) {
  const CodeSubject left = diff_side(diff_base);
  for (const DiffRow& row : diff_rows) {
    SCOPED_TRACE(row.what);
    const CodeSubject right = diff_side(row.right);
    for (const bool swapped : {false, true}) {
      const auto diff = swapped ? diff_kernels(right, left) : diff_kernels(left, right);
      ASSERT_TRUE(diff) << diff.error().text();
      EXPECT_EQ(compare::to_string(diff->change), compare::to_string(row.change));
      EXPECT_EQ(diff->counts.aligned, row.aligned);
      EXPECT_EQ(diff->counts.only_left, swapped ? row.only_right : row.only_left);
      EXPECT_EQ(diff->counts.only_right, swapped ? row.only_left : row.only_right);
    }
  }
}

// An instruction at the start moves every target by one: the branches are still the same.
TEST(Diff, BranchesFollowTheirTargets) {
  std::vector<std::string> moved = {"| S2R R0,SR_TID.X # 2"};
  moved.insert(moved.end(), diff_base.begin(), diff_base.end());
  moved[2] = "consumer.wait| @!P0 BRA 0x10 # 6 1";
  moved[5] = "consumer| @P1 BRA 0x10 # 5";
  const auto diff = diff_kernels(diff_side(diff_base), diff_side(moved));
  ASSERT_TRUE(diff);
  EXPECT_EQ(diff->counts.aligned, (std::array<int, compare::row_changes>{6, 0, 0, 0, 0}));
  EXPECT_EQ(diff->counts.only_right, 1);
  EXPECT_EQ(diff->rows.front().left, -1);
}

TEST(Diff, AnotherOrder) {
  std::vector<std::string> other = diff_base;
  std::swap(other[2], other[3]);
  const auto diff = diff_kernels(diff_side(diff_base), diff_side(other));
  ASSERT_TRUE(diff);
  EXPECT_EQ(diff->change, Change::instructions);
  EXPECT_TRUE(diff->same_census);
  EXPECT_EQ(diff->counts.only_left, 1);
  EXPECT_EQ(diff->counts.only_right, 1);
  EXPECT_EQ(diff->counts.moved, 1);
}

// Two kernels of one file: a line that both have is one of a function that both inline; lines of
// one alone keep nothing apart.
TEST(Diff, LinesOfOneKernelAloneAreNoKeys) {
  const std::vector<std::string> first = {"k.10| S2R R0,SR_TID.X # 2", "k.3| FADD R1,R0,R0 # 4",
                                          "k.11| STG.E [R2],R1 # 1", "k.12| EXIT # 5"};
  const std::vector<std::string> second = {"k.20| S2R R0,SR_TID.X # 2", "k.21| FADD R1,R0,R0 # 4",
                                           "k.3| FADD R1,R0,R0 # 4", "k.22| STG.E [R2],R1 # 1",
                                           "k.23| EXIT # 5"};
  CodeSubject left = diff_side(first), right = diff_side(second);
  EXPECT_EQ(diff_kernels(left, right)->counts.aligned[0], 1);
  left.has_lines = right.has_lines = true;
  const auto diff = diff_kernels(left, right);
  EXPECT_EQ(diff->counts.aligned[0], 4);
  EXPECT_EQ(diff->counts.only_right, 1);
  ASSERT_EQ(diff->rows.size(), 5U);
  EXPECT_EQ(diff->rows[1].left, -1);  // the line of the function is a key: its FADD is the second
}

// Nothing is identical whose class is another.
TEST(Diff, PaddingOfAnotherClassIsData) {
  const CodeSubject left = diff_side(diff_base);
  CodeSubject right = diff_side(with_more(6, "| NOP # 0"));
  right.kernel.code.hash = "another";
  const auto diff = diff_kernels(left, right);
  EXPECT_EQ(diff->change, Change::data);
  EXPECT_EQ(diff->outside_text,
            std::vector<std::string>{"padding after the last branch: 1 -> 2 instructions"});
}

// Bits that the disassembler does not print must not pass as identical, but only on one SM: the
// encoding differs between them.
TEST(Diff, WordsCountOnOneArchitecture) {
  const CodeSubject left = diff_side(diff_base);
  CodeSubject right = diff_side(diff_base);
  right.kernel.instructions[2].word.low ^= 1ULL << 40;
  EXPECT_EQ(diff_kernels(left, right)->change, Change::operands);
  right.sm = 100;
  EXPECT_EQ(diff_kernels(left, right)->change, Change::identical);
}

TEST(Diff, NothingIsNeverTheSame) {
  const CodeSubject empty = diff_side({"| NOP # 0"}, "b.cubin:k");
  for (const auto& diff : {diff_kernels(diff_side(diff_base), empty),
                           diff_kernels(empty, diff_side(diff_base)), diff_kernels(empty, empty)}) {
    ASSERT_FALSE(diff);
    EXPECT_EQ(diff.error().text(),
              "disassemble: b.cubin:k: no instruction in it, so there is nothing to compare");
  }
}

TEST(Diff, NormalisedOpcodes) {
  const std::vector<std::pair<std::string, std::string>> diff_rows = {
      {"IMAD.MOV.U32", "MOV"},
      {"UMOV", "MOV"},
      {"IMAD.WIDE.U32", "IMAD"},
      {"VIADD", "IADD"},
      {"UIADD3.64", "IADD"},
      {"LDCU.64", "LDC"},
      {"SYNCS.ARRIVE.TRANS64.A1T0", "SYNCS.ARRIVE"},
      {"USYNCS.EXCH.64", "SYNCS.EXCH"},
      {"SYNCS.PHASECHK.TRANS64", "SYNCS.PHASECHK"},
      {"BAR.SYNC.DEFER_BLOCKING", "BAR.SYNC"},
      {"BRA", "BRA"},
      {"BRA.U.ANY", "BRA.U"},
      {"MEMBAR.ALL.CTA", "MEMBAR"},
      {"EXIT", "EXIT"},
  };
  for (const auto& [opcode, normal] : diff_rows)
    EXPECT_EQ(compare::normalised_opcode(opcode), normal) << opcode;
}

TEST(Diff, JsonAndText) {
  const CodeSubject left = diff_side(diff_base, "first");
  const CodeSubject right =
      diff_side(with_more(3, "consumer.release| MEMBAR.ALL.CTA # 3"), "second");
  const auto diff = diff_kernels(left, right);
  ASSERT_TRUE(diff);
  const auto json = nlohmann::json::parse(compare::diff_as_json(left, right, *diff));
  EXPECT_EQ(json["left"]["name"], "first");
  EXPECT_EQ(json["right"]["features"]["kernel"]["fences"], 1);
  EXPECT_EQ(json["change"], "instructions");
  EXPECT_EQ(json["same_census"], false);
  EXPECT_EQ(json["counts"]["identical"], 6);
  EXPECT_EQ(json["counts"]["only_right"], 1);
  ASSERT_EQ(json["rows"].size(), 7U);
  EXPECT_TRUE(json["rows"][3]["left"].is_null());
  EXPECT_EQ(json["rows"][3]["right"]["opcode"], "MEMBAR.ALL.CTA");
  EXPECT_EQ(json["rows"][3]["right"]["stall_cycles"], 3);
  EXPECT_EQ(json["rows"][3]["right"]["verb"], "consumer.release");
  EXPECT_EQ(json["rows"][4]["left"]["address"], 48);
  EXPECT_EQ(json["rows"][4]["right"]["address"], 64);
  const std::string text = compare::diff_as_text(left, right, *diff, {false, 1});
  EXPECT_NE(
      text.find(
          "instructions: 6 identical, 0 schedule only, 0 registers renamed, 0 operands, 0 other "
          "opcode, 0 only in A, 1 only in B\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("... 2 identical"), std::string::npos) << text;
  EXPECT_NE(text.find(">  0030  03 - W- R- B------ ---     MEMBAR.ALL.CTA "), std::string::npos)
      << text;
}

TEST(Diff, OpcodeChanges) {
  const auto diff =
      diff_kernels(diff_side(diff_base), diff_side(with(3, "consumer.release| BAR.ARV 0x1 # 3")));
  EXPECT_EQ(compare::opcode_changes(diff->left.kernel, diff->right.kernel),
            "-SYNCS.ARRIVE.TRANS64.A1T0 x1, +BAR.ARV x1");
  EXPECT_EQ(compare::opcode_changes(diff->left.kernel, diff->left.kernel), "");
}

}  // namespace
}  // namespace phasebit::test
