#include "tests/golden/golden.h"

#include "tests/analysis/sass/handmade.h"

#include <gtest/gtest.h>

namespace phasebit::test {
namespace {

using test::handmade;

// A ring's loop with other registers, at another address.
const std::vector<std::string> loop = {
    "consumer.clock_start| CS2R R0,SR_CLOCKLO # 1",
    "consumer.wait| SYNCS.PHASECHK.TRANS64.TRYWAIT P0,[R2+UR4],R3.reuse # 2",
    "consumer.wait| @!P0 BRA 0x10 # 6 1",
    "consumer.release| SYNCS.ARRIVE.TRANS64.A1T0 RZ,[R2+UR4+0x8],RZ # 3",
    "consumer| @P1 BRA 0x10 # 5",
    "consumer.clock_end| CS2R R4,SR_CLOCKLO # 2",
    "| EXIT # 5",
};

GoldenKernel golden(std::vector<std::string> lines) {
  const test::Handmade one = handmade(lines);
  return golden_kernel("v", one.kernel, one.source, flow::find_windows(one.kernel, one.source));
}

std::vector<std::string> golden_with(std::size_t index, const std::string& line) {
  std::vector<std::string> lines = loop;
  lines[index] = line;
  return lines;
}

std::string change(const std::vector<std::string>& lines) {
  const auto changes = compare_golden({golden(loop)}, {golden(lines)});
  return changes.empty() ? "" : changes.front().what;
}

TEST(Golden, ShowsTheLoopWithRegistersInOrder) {
  const std::vector<std::string> lines = golden(loop).lines;
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0],
            "cold   consumer.wait            02 - W- R- B------ ---  "
            "L0: SYNCS.PHASECHK.TRANS64.TRYWAIT p0,[r0+u0],r1");
  EXPECT_NE(lines[1].find("@!p0 BRA L0"), std::string::npos) << lines[1];
  EXPECT_EQ(lines[3].substr(0, 6), "hot   ");
  EXPECT_NE(lines[3].find("  @p1 BRA L0"), std::string::npos) << lines[3];
}

// A lane mask is not an address; the place that a function returns to is one.
TEST(Golden, LabelsWhatIsAnAddress) {
  const std::vector<std::string> lines =
      golden({"| MOV R5,0x30 # 1", "| WARPSYNC 0x20 # 1", "| CALL.REL.NOINC f # 1",
              "| MOV R4,0x10 # 1", "| EXIT # 5"})
          .lines;
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_EQ(lines[0].substr(56), "MOV r0,L0");
  EXPECT_EQ(lines[1].substr(56), "WARPSYNC 0x20");
  EXPECT_EQ(lines[3].substr(56), "L0: MOV r1,0x10");
}

TEST(Golden, OtherRegistersAndAddressesAreTheSame) {
  std::vector<std::string> moved = {"| NOP # 1"};
  for (std::string line : loop) {
    for (const auto& [from, to] : {std::pair("R2+", "R22+"),
                                   {"UR4", "UR7"},
                                   {"0x10", "0x20"},
                                   {"R3.reuse", "R5"},
                                   {"P0", "P4"}})
      if (const std::size_t at = line.find(from); at != std::string::npos)
        line.replace(at, std::string(from).size(), to);
    moved.push_back(line);
  }
  EXPECT_EQ(golden(moved).lines, golden(loop).lines);
}

// The class of change in words, then the first lines that differ.
TEST(Golden, SaysWhatChanged) {
  EXPECT_EQ(change(loop), "");
  const std::string verb =
      change(golden_with(3, "consumer.checksum| SYNCS.ARRIVE.TRANS64.A1T0 RZ,[R2+UR4+0x8],RZ # 3"));
  EXPECT_EQ(verb.substr(0, verb.find('\n')),
            "the same code, but another part of it is hot or of another verb");
  EXPECT_EQ(
      change(golden_with(3, "consumer.release| SYNCS.ARRIVE.TRANS64.A1T0 RZ,[R2+UR4+0x8],RZ # 4"))
          .substr(0, 16),
      "schedule\n  - hot");
  EXPECT_EQ(
      change(golden_with(3, "consumer.release| SYNCS.ARRIVE.TRANS64.A1T0 RZ,[R2+UR4+0x9],RZ # 3"))
          .substr(0, 8),
      "operands");
  const std::string other = change(golden_with(3, "consumer.release| BAR.ARV 0x1,0x40 # 3"));
  EXPECT_EQ(other.substr(0, other.find('\n')),
            "instructions: -SYNCS.ARRIVE.TRANS64.A1T0 x1, +BAR.ARV x1");
  EXPECT_NE(other.find("\n  + hot    consumer.release         03"), std::string::npos) << other;
}

TEST(Golden, NamesTheEarlierTargetThatHasTheSameLines) {
  const std::vector<GoldenKernel> kernels = {{"v", {"hot  a"}}, {"w", {"hot  b"}}};
  const std::vector<GoldenTarget> earlier = {{"sm_80", {{"v", {"hot  c"}}}},
                                             {"sm_90a", {{"v", {"hot  a"}}}}};
  const std::string text = print_golden("t", kernels, earlier);
  EXPECT_EQ(text, "# t\n\n== v\non sm_90a\n\n== w\nhot  b\n");
  const auto read = parse_golden(text, "file", earlier);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ((*read)[0].lines, kernels[0].lines);
  EXPECT_EQ((*read)[1].lines, kernels[1].lines);
  EXPECT_EQ(parse_golden(text, "file").error().text(), "io: file:4: no listing of v on sm_90a");
}

TEST(Golden, IsReadAsItWasPrinted) {
  GoldenKernel a = golden(loop), b = a,
               c = golden(golden_with(3, "consumer.release| BAR.ARV 0x1 # 3"));
  b.variant = "w", c.variant = "x";
  const std::string text = print_golden("title", {a, b, c});
  EXPECT_NE(text.find("\n== w\nas v\n"), std::string::npos) << text;
  const auto read = parse_golden(text, "file");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_TRUE(compare_golden(*read, {a, b, c}).empty());
  const auto changes = compare_golden(*read, {a, c, {"y", {}}});
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[0].variant + ": " + changes[0].what, "y: new");
  EXPECT_EQ(changes[1].variant + ": " + changes[1].what, "w: gone");
  EXPECT_EQ(parse_golden("# t\nhot\n", "file").error().text(),
            "io: file:2: a line before the first kernel");
  EXPECT_EQ(parse_golden("== v\nas u\n", "file").error().text(), "io: file:2: no earlier kernel u");
}

}  // namespace
}  // namespace phasebit::test
