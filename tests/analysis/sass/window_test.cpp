#include "analysis/flow/window.h"

#include "analysis/flow/census.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace phasebit::test {

using flow::find_windows;
using flow::Heat;

namespace {

// A kernel and its source, written as "role.verb| @P0 opcode operands" lines: every instruction is
// a statement.
struct Listing {
  cubin::SassKernel kernel{"k", "", {}};
  launch::SourceMap source;
};

Listing listing(const std::vector<std::string>& lines) {
  Listing result;
  for (const std::string& text : lines) {
    cubin::Instruction one;
    one.address = static_cast<std::uint32_t>(16 * result.kernel.instructions.size());
    one.line = static_cast<int>(result.kernel.instructions.size()) + 1;
    const std::size_t bar = text.find("| ");
    const std::string prefix = text.substr(0, bar);
    std::string rest = text.substr(bar + 2);
    if (rest.starts_with('@')) {
      one.predicate = rest.substr(0, rest.find(' '));
      rest = rest.substr(rest.find(' ') + 1);
    }
    one.opcode = rest.substr(0, rest.find(' '));
    if (rest.find(' ') != std::string::npos) one.operands = rest.substr(rest.find(' ') + 1);
    const std::size_t dot = prefix.find('.');
    const std::string verb = dot == std::string::npos ? "" : prefix.substr(dot + 1);
    result.source.push_back({verb + ".ptx", 1, verb, prefix.substr(0, dot)});
    result.kernel.instructions.push_back(one);
  }
  return result;
}

// One letter an instruction: "." outside, "b" beside the loop, "h" hot, "c" cold; or the problem.
std::string heats(const flow::RoleWindow& window) {
  if (!window.problem.empty()) return window.problem;
  std::string out;
  for (const Heat heat : window.heat) {
    switch (heat) {
      case Heat::outside: out += '.'; break;
      case Heat::beside: out += 'b'; break;
      case Heat::hot: out += 'h'; break;
      case Heat::cold: out += 'c'; break;
    }
  }
  return out;
}

std::string start(const std::string& role) {
  return role + ".clock_start| CS2R R2,SR_CLOCKLO";
}
std::string end(const std::string& role) {
  return role + ".clock_end| CS2R R4,SR_CLOCKLO";
}

struct Row {
  const char* what;
  std::vector<std::string> lines;
  const char* expected;
};

const std::vector<Row> rows = {
    {"a loop",
     {"| MOV", start("both"), "| MOV", "both.wait| WAIT", "| @P0 BRA 0x30", end("both"), "| EXIT"},
     "..bhh.."},
    {"the retry behind EXIT",
     {start("both"), "both.wait| WAIT", "both.wait| @P0 BRA 0x60", "| @P1 BRA 0x10", end("both"),
      "| EXIT", "both.wait| WAIT", "both.wait| @P0 BRA 0x30", "| BRA 0x60"},
     ".hhh..ccc"},
    {"code behind EXIT that is no loop",
     {start("both"), "| @P0 BRA 0x50", "| @P1 BRA 0x10", end("both"), "| EXIT", "| MOV",
      "| BRA 0x20"},
     ".hh..cc"},
    {"an exit inside the loop leaves the window",
     {start("both"), "| @P0 BRA 0x30", "| EXIT", "| @P1 BRA 0x10", end("both"), "| EXIT"},
     ".h.h.."},
    {"the main loop has more verbs than its prologue and epilogue",
     {start("both"), "both.acquire| MOV", "| @P0 BRA 0x10", "both.acquire| MOV", "both.wait| MOV",
      "| @P0 BRA 0x30", "both.wait| MOV", "both.wait| MOV", "both.wait| MOV", "| @P0 BRA 0x60",
      end("both"), "| EXIT"},
     ".bbhhhbbbb.."},
    {"of an unrolled loop and its remainder the larger one",
     {start("both"), "both.wait| MOV", "both.wait| MOV", "| @P0 BRA 0x10", "both.wait| MOV",
      "| @P0 BRA 0x40", end("both"), "| EXIT"},
     ".hhhbb.."},
    {"a work loop inside",
     {start("both"), "both.wait| MOV", "both.work| MOV", "| @P0 BRA 0x20", "| @P1 BRA 0x10",
      end("both"), "| EXIT"},
     ".hcch.."},
    {"CS2R that zeroes a register is no clock read",
     {"both.clock_start| CS2R R8,SRZ", start("both"), "| MOV", "| @P0 BRA 0x20", end("both"),
      "| EXIT"},
     "..hh.."},
    {"a loop around the clock reads is not the timed one",
     {"| MOV", start("both"), "| MOV", "| @P0 BRA 0x20", end("both"), "| @P1 BRA 0x0", "| EXIT"},
     "..hh..."},
    {"start read twice",
     {start("both"), start("both"), "| @P0 BRA 0x20", end("both"), "| EXIT"},
     "clock_start reads the clock 2 times (0x0, 0x10)"},
    {"end not read",
     {start("both"), "| @P0 BRA 0x10", "both.clock_end| MOV", "| EXIT"},
     "no instruction of clock_end reads the clock"},
    {"end in front of start",
     {end("both"), start("both"), "| @P0 BRA 0x20", "| EXIT"},
     "no code between clock_start at 0x10 and clock_end at 0x0"},
    {"straight",
     {start("both"), "| MOV", end("both"), "| EXIT"},
     "no loop between the clock reads"},
    {"both reads moved in front of the loop",
     {start("both"), "| MOV", end("both"), "| @P0 BRA 0x30", "| EXIT"},
     "no loop between the clock reads"},
    {"indirect branch",
     {start("both"), "| BRX R2", end("both"), "| EXIT"},
     "k: cannot follow BRX R2 at 0x10"},
    {"entered in two places",
     {start("both"), "| @P0 BRA 0x30", "| MOV", "| MOV", "| @P1 BRA 0x20", end("both"), "| EXIT"},
     ".bhhh.."},
    {"cycles that cross",
     {start("both"), "| @P0 BRA 0x40", "| @P1 BRA 0x40", "| @P2 BRA 0x20", "| @P3 BRA 0x30",
      end("both"), "| EXIT"},
     "the loop at 0x20 is entered in two places"},
    {"what only a diverged warp runs",
     {start("both"), "| MOV", "| BRA.DIV UR4,0x50", "| MOV", "| BRA 0x70",
      "| WARPSYNC.COLLECTIVE R1,0x60", "| BRA 0x30", "| @P0 BRA 0x10", end("both"), "| EXIT"},
     ".hhhhcch.."},
    {"no clock at all", {"| MOV", "| EXIT"}, "the source has no clock_start"},
};

TEST(Window, OneRole) {
  for (const Row& row : rows) {
    const Listing code = listing(row.lines);
    const auto windows = find_windows(code.kernel, code.source);
    ASSERT_EQ(windows.size(), 1U) << row.what;
    EXPECT_EQ(heats(windows.front()), row.expected) << row.what;
  }
}

TEST(Window, EachRoleHasItsOwn) {
  const Listing code =
      listing({"| @P0 BRA 0x60", start("producer"), "producer.acquire| A", "| @P0 BRA 0x20",
               end("producer"), "| EXIT", start("consumer"), "| MOV", "consumer.wait| B",
               "| @P0 BRA 0x80", end("consumer"), "| EXIT"});
  auto windows = find_windows(code.kernel, code.source);
  ASSERT_EQ(windows.size(), 2U);
  EXPECT_EQ(windows[0].role, "producer");
  EXPECT_EQ(heats(windows[0]), "..hh........");
  EXPECT_EQ(windows[1].role, "consumer");
  EXPECT_EQ(heats(windows[1]), ".......bhh..");
  const launch::Census census = flow::take_census(windows, code.kernel, code.source);
  ASSERT_EQ(census.size(), 4U);
  EXPECT_EQ(census[0].verb + "/" + census[0].role, "acquire/producer");
  EXPECT_EQ(census[0].hot, (std::map<std::string, int>{{"A", 1}}));
  EXPECT_EQ(census[1].verb + "/" + census[1].role, "/producer");
  // In the order of the code: what is outside the consumer's loop comes before its wait.
  EXPECT_EQ(census[2].verb + "/" + census[2].role, "/consumer");
  EXPECT_EQ(census[2].beside, (std::map<std::string, int>{{"MOV", 1}}));
  EXPECT_EQ(census[3].verb + "/" + census[3].role, "wait/consumer");
  EXPECT_TRUE(census[3].cold.empty());
}

// A wait with one site has it in its retry loop; one whose first try is peeled does not lose its
// cold site.
TEST(Census, PromotesSingleSitesOfRequiredOpcodes) {
  const Listing code = listing(
      {start("both"), "| MOV", "both.wait| TRY", "both.wait| SLEEP", "both.wait| @P0 BRA 0x20",
       "both.commit| TRY", "both.commit| @P0 BRA 0xa0", "| @P1 BRA 0x10", end("both"), "| EXIT",
       "both.commit| TRY", "both.commit| @P0 BRA 0x70", "| BRA 0xa0"});
  isa::GateSpec spec;
  spec.verbs = {{"wait", "", {{"TRY", 1}}, {}}, {"commit", "", {{"TRY", 1}}, {}}};
  auto windows = find_windows(code.kernel, code.source);
  ASSERT_EQ(windows.size(), 1U);
  EXPECT_EQ(heats(windows[0]), ".hccchhh..ccc");
  // The retry of commit is another statement here; as the same one it stays cold.
  Listing same = code;
  same.kernel.instructions[10].line = same.kernel.instructions[5].line;
  flow::promote_single_sites(windows, same.kernel, same.source, spec, true);
  // The turn that runs the only try runs its block: the sleep after it too.
  EXPECT_EQ(heats(windows[0]), ".hhhhhhh..ccc");
}

// A ptxas that moves lines gives the peeled try of a wait a line of no verb: it is the wait's all
// the same. Of another ptxas it belongs to no verb, and the wait has its retry alone.
TEST(Census, APeeledTryWithAnotherLineIsTheVerbsWhereThePtxasMovesLines) {
  for (const char* ptxas : {"11.8.89", "12.4.131", "12.8.61", "13.0.88", "13.4", "13.5.37"}) {
    const bool moves = ptxas == std::string("12.8.61") || ptxas == std::string("13.0.88") ||
                       ptxas == std::string("13.4");
    for (const char* family : {"hopper", "blackwell", "rubin"})
      ASSERT_EQ(flow::moves_lines(*isa::parse_version(ptxas), family), moves) << ptxas;
    ASSERT_TRUE(flow::moves_lines(*isa::parse_version(ptxas), "ampere"));
    Listing code = listing({start("both"), "| TRY", "| @P0 BRA 0x60", "| @P1 BRA 0x10", end("both"),
                            "| EXIT", "both.wait| TRY", "both.wait| @P0 BRA 0x60", "| BRA 0x30"});
    isa::GateSpec spec;
    spec.verbs = {{"wait", "", {{"TRY", 1}}, {}}};
    auto windows = find_windows(code.kernel, code.source);
    ASSERT_EQ(windows.size(), 1U);
    flow::promote_single_sites(windows, code.kernel, code.source, spec, moves);
    EXPECT_EQ(windows[0].heat[1], Heat::hot);
    EXPECT_EQ(windows[0].heat[6], moves ? Heat::cold : Heat::hot);
    std::map<std::string, int> tries;
    for (const launch::VerbCensus& one : flow::take_census(windows, code.kernel, code.source))
      if (const auto at = one.hot.find("TRY"); at != one.hot.end()) tries[one.verb] = at->second;
    EXPECT_EQ(tries, (moves ? std::map<std::string, int>{{"wait", 1}}
                            : std::map<std::string, int>{{"", 1}, {"wait", 1}}))
        << ptxas;
  }
}

}  // namespace
}  // namespace phasebit::test
