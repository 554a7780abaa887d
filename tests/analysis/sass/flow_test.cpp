#include "analysis/flow/flow.h"

#include "analysis/flow/loops.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using cubin::SassKernel;
using flow::build_flow_graph;

namespace {

// "opcode operands" or "@P0 opcode operands" each.
SassKernel kernel(const std::vector<std::string>& lines) {
  SassKernel result{"k", "", {}};
  for (const std::string& line : lines) {
    cubin::Instruction one;
    one.address = static_cast<std::uint32_t>(16 * result.instructions.size());
    std::string rest = line;
    if (rest.starts_with('@')) {
      one.predicate = rest.substr(0, rest.find(' '));
      rest = rest.substr(rest.find(' ') + 1);
    }
    one.opcode = rest.substr(0, rest.find(' '));
    if (rest.find(' ') != std::string::npos) one.operands = rest.substr(rest.find(' ') + 1);
    result.instructions.push_back(one);
  }
  return result;
}

// "0-1>1,2 2-3>": blocks with their instructions and successors.
std::string blocks(const std::vector<std::string>& lines, const std::vector<int>& cuts = {}) {
  const auto graph = build_flow_graph(kernel(lines), cuts);
  if (!graph) return graph.error().text();
  std::string out;
  for (const flow::BasicBlock& block : graph->blocks)
    out += fmt::format("{}{}-{}>{}", out.empty() ? "" : " ", block.begin, block.end,
                       fmt::join(block.successors, ","));
  return out;
}

// Depth of each instruction: "0112".
std::string depths(const std::vector<std::string>& lines) {
  const SassKernel k = kernel(lines);
  const auto graph = build_flow_graph(k);
  if (!graph) return graph.error().text();
  const flow::LoopNest nest = flow::find_loops(*graph);
  std::string out;
  for (const int block : graph->block_of)
    out += nest.irreducible[static_cast<std::size_t>(block)]
               ? "x"
               : std::to_string(nest.depth[static_cast<std::size_t>(block)]);
  return out;
}

TEST(Flow, FollowsBranches) {
  const struct {
    const char* what;
    std::vector<std::string> lines;
    const char* expected;
  } rows[] = {
      {"straight", {"MOV", "EXIT"}, "0-2>"},
      {"trailing self loop", {"EXIT", "BRA 0x10", "NOP"}, "0-1> 1-2>1 2-3>"},
      {"predicated exit falls through", {"@P0 EXIT", "EXIT"}, "0-1>1 1-2>"},
      {"predicate in front", {"@!P0 BRA 0x20", "MOV", "EXIT"}, "0-1>2,1 1-2>2 2-3>"},
      {"predicate operand", {"BRA !P2,0x20", "MOV", "EXIT"}, "0-1>2,1 1-2>2 2-3>"},
      {"uniform predicate operand", {"BRA.U UP0,0x20", "MOV", "EXIT"}, "0-1>2,1 1-2>2 2-3>"},
      {"true predicate operand", {"BRA.U UPT,0x20", "MOV", "EXIT"}, "0-1>2 1-2>2 2-3>"},
      {"divergence test", {"BRA.DIV UR4,0x20", "MOV", "EXIT"}, "0-1>2,1 1-2>2 2-3>"},
      {"collective", {"WARPSYNC.COLLECTIVE R5,0x20", "MOV", "EXIT"}, "0-1>2,1 1-2>2 2-3>"},
      {"warpsync without target", {"WARPSYNC.ALL", "WARPSYNC 0xffffffff", "EXIT"}, "0-3>"},
      {"call passes on", {"CALL.REL.NOINC f", "EXIT"}, "0-2>"},
      {"call as a jump", {"@P0 CALL.REL.NOINC 0x20", "MOV", "EXIT"}, "0-1>2,1 1-2>2 2-3>"},
      {"return", {"RET.REL.NODEC R2,k", "EXIT"}, "0-1> 1-2>"},
      {"reconvergence in front of its target",
       {"BSSY B0,0x30", "@P0 BRA 0x20", "BSYNC B0", "EXIT"},
       "0-2>1 2-3>2 3-4>"},
      {"reconvergence elsewhere", {"BSSY B0,0x30", "BSYNC B0", "NOP", "EXIT"}, "0-2>2 2-3>2 3-4>"},
      {"break passes on", {"BREAK B0", "EXIT"}, "0-2>"},
      {"indirect", {"MOV", "BRX R2 -0x10"}, "disassemble: k: cannot follow BRX R2 -0x10 at 0x10"},
      {"target outside", {"BRA 0x100"}, "disassemble: k: cannot follow BRA 0x100 at 0x0"},
      {"target inside a word", {"BRA 0x8"}, "disassemble: k: cannot follow BRA 0x8 at 0x0"},
  };
  for (const auto& row : rows) EXPECT_EQ(blocks(row.lines), row.expected) << row.what;
}

// 0x10: BRX to 0x20 and 0x40, each of which goes back to it or on.
SassKernel with_table(const std::string& branch, const std::vector<std::uint32_t>& targets) {
  SassKernel k = kernel({"MOV", branch, "@P0 BRA 0x0", "EXIT", "@P1 BRA 0x40", "EXIT"});
  k.indirect = {{0x10, targets}};
  return k;
}

TEST(Flow, IndirectBranchesGoWhereTheTableSays) {
  const auto of = [](const SassKernel& k) {
    const auto graph = build_flow_graph(k);
    if (!graph) return graph.error().text();
    std::string out;
    for (const flow::BasicBlock& block : graph->blocks)
      out += fmt::format("{}{}-{}>{}", out.empty() ? "" : " ", block.begin, block.end,
                         fmt::join(block.successors, ","));
    return out + fmt::format(" {} loops", flow::find_loops(*graph).loops.size());
  };
  EXPECT_EQ(of(with_table("BRX R2,-0x20", {0x20, 0x40})),
            "0-2>1,3 2-3>0,2 3-4> 4-5>3,4 5-6> 2 loops");
  EXPECT_EQ(of(with_table("BRXU UR2,-0x20", {0x20, 0x40})),
            "0-2>1,3 2-3>0,2 3-4> 4-5>3,4 5-6> 2 loops");
  EXPECT_EQ(of(with_table("BRX R2,-0x20", {0x20, 0x60})),
            "disassemble: k: the table of BRX R2,-0x20 at 0x10 names 0x60, no place in the kernel");
  SassKernel guarded = with_table("BRX R2,-0x20", {0x40});
  guarded.instructions[1].predicate = "@P0";
  EXPECT_EQ(of(guarded), "0-2>3,1 2-3>0,2 3-4> 4-5>3,4 5-6> 2 loops");
}

TEST(Flow, CutsBlocksAroundGivenInstructions) {
  EXPECT_EQ(blocks({"MOV", "CS2R", "MOV", "EXIT"}, {1}), "0-1>1 1-2>2 2-4>");
}

TEST(Loops, Depths) {
  const struct {
    const char* what;
    std::vector<std::string> lines;
    const char* expected;
  } rows[] = {
      {"none", {"MOV", "EXIT"}, "00"},
      {"one block", {"MOV", "MOV", "@P0 BRA 0x10", "EXIT"}, "0110"},
      {"nested", {"MOV", "MOV", "@P0 BRA 0x10", "@P1 BRA 0x0", "EXIT"}, "12210"},
      {"retry behind the exit",
       {"MOV", "@P0 BRA 0x50", "MOV", "@P1 BRA 0x0", "EXIT", "MOV", "@P0 BRA 0x20", "BRA 0x50"},
       "11110222"},
      {"in sequence", {"@P0 BRA 0x0", "@P0 BRA 0x10", "EXIT"}, "110"},
      {"a retry at the head of a loop",
       {"MOV", "@P0 BRA 0x0", "MOV", "@P1 BRA 0x0", "EXIT"},
       "22110"},
      {"two latches of one loop",
       {"MOV", "@P0 BRA 0x40", "MOV", "BRA 0x0", "MOV", "@P1 BRA 0x0", "EXIT"},
       "1111110"},
      {"entered in two places", {"@P0 BRA 0x20", "MOV", "MOV", "@P1 BRA 0x10", "EXIT"}, "01110"},
      // What ptxas 12.4 makes of `wait; work; again`: a try in front, then always the retry's copy.
      {"entered behind a retry",
       {"@P0 BRA 0x40", "MOV", "@P1 BRA 0x40", "EXIT", "MOV", "@P0 BRA 0x40", "BRA 0x10"},
       "0110221"},
      {"cycles that cross",
       {"@P0 BRA 0x30", "@P1 BRA 0x30", "@P2 BRA 0x10", "@P3 BRA 0x20", "EXIT"},
       "0xxx0"},
      {"not reached", {"EXIT", "BRA 0x10"}, "00"},
  };
  for (const auto& row : rows) EXPECT_EQ(depths(row.lines), row.expected) << row.what;
}

}  // namespace
}  // namespace phasebit::test
