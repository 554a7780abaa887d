#include "core/ptx/flow/flow.h"

#include "core/ptx/flow/counts.h"
#include "core/ptx/flow/stuck.h"
#include "core/ptx/flow/values.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using ptx::PtxFile;
using ptx::flow::flow_of;
using ptx::flow::loops_of;
using ptx::flow::PtxFlow;
using ptx::flow::PtxName;

namespace {

PtxFile read(const std::string& body) {
  auto file =
      ptx::read_ptx(".version 8.0\n.target sm_90\n.entry k()\n{\n" + body + "\n}\n", "t.ptx");
  if (!file) ADD_FAILURE() << file.error().text();
  return *file;
}

const ptx::PtxFunction& kernel(const PtxFile& file) {
  return *file.find("k");
}

// "0>1,2 1>1,2 2>": blocks and where they lead.
std::string ways(const PtxFlow& flow) {
  std::string out;
  for (std::size_t i = 0; i < flow.blocks.size(); ++i)
    out += fmt::format("{}>{} ", i, fmt::join(flow.blocks[i].successors, ","));
  return out;
}

struct FlowRow {
  const char* what;
  const char* body;
  const char* ways;
  const char* loops;  // "header:blocks"
};

constexpr FlowRow flow_rows[] = {
    {"straight", "mov.u32 a, 1; ret;", "0> ", ""},
    {"a wait", "L: try p; @!p bra L; ret;", "0>0,1 1> ", "0:0 "},
    {"labels of blocks are told apart", "{ L: @p bra L; } { L: @p bra L; } ret;", "0>0,1 1>1,2 2> ",
     "0:0 1:1 "},
    {"a name from the block around", "L: { @p bra L; } ret;", "0>0,1 1> ", "0:0 "},
    {"nested", "A: mov.u32 a, 1; B: @p bra B; @q bra A; ret;", "0>1 1>1,2 2>0,3 3> ",
     "1:1 0:0,1,2 "},
    {"two ways back are one loop", "A: @p bra B; bra A; B: @q bra A; ret;", "0>2,1 1>0 2>0,3 3> ",
     "0:0,1,2 "},
    {"an exit that may not be", "L: @p exit; bra L;", "0>1 1>0 ", "0:0,1 "},
    {"a table", "ts: .branchtargets A, B; brx.idx i, ts; A: ret; B: bra A;", "0>1,2 1> 2>1 ", ""},
    {"two entries make no natural loop",
     "@p bra B; A: mov.u32 a, 1; B: mov.u32 b, 1; @q bra A; ret;", "0>2,1 1>2 2>1,3 3> ", ""},
};

TEST(PtxFlow, BlocksAndLoops) {
  for (const FlowRow& row : flow_rows) {
    const PtxFile file = read(row.body);
    const PtxFlow flow = flow_of(file, kernel(file));
    EXPECT_EQ(ways(flow), row.ways) << row.what;
    std::string loops;
    for (const ptx::flow::PtxLoop& loop : loops_of(flow))
      loops += fmt::format("{}:{} ", loop.header, fmt::join(loop.blocks, ","));
    EXPECT_EQ(loops, row.loops) << row.what;
  }
}

TEST(PtxFlow, SaysWhichTargetsItCannotFind) {
  const PtxFile file = read("@p bra Nowhere; ret;");
  const PtxFlow flow = flow_of(file, kernel(file));
  ASSERT_EQ(flow.not_understood.size(), 1U);
  EXPECT_EQ(file.place(file.statements[flow.not_understood[0]]), "t.ptx:5:1");
}

TEST(PtxScopes, NamesBelongToBlocks) {
  const PtxFile file = read(
      ".reg .pred p<2>; .reg .b32 %r<3>;\n{ .reg .b64 p0; .param .align 8 .b8 arg[16]; ret; "
      "}\nret;");
  const ptx::PtxScopes scopes = ptx::scopes_of(file, kernel(file));
  ASSERT_EQ(scopes.scopes.size(), 2U);
  EXPECT_EQ(scopes.declaring(1, "p0"), 1);
  EXPECT_EQ(scopes.declaring(0, "p0"), 0);
  EXPECT_EQ(scopes.type_of(0, "p1"), ".pred");
  EXPECT_EQ(scopes.type_of(1, "p0"), ".b64");
  EXPECT_EQ(scopes.type_of(1, "%r2"), ".b32");
  EXPECT_EQ(scopes.declaring(1, "%r3"), -1);
  EXPECT_EQ(scopes.declaring(1, "arg"), 1);
  EXPECT_EQ(scopes.declaring(0, "arg"), -1);
}

TEST(PtxFlow, LoopsWithTwoEntries) {
  const auto entries = [](const std::string& body) {
    const PtxFile file = read(body);
    std::string places;
    for (const std::size_t i : ptx::flow::second_entries_of(flow_of(file, kernel(file))))
      places += file.place(file.statements[i]) + " ";
    return places;
  };
  EXPECT_EQ(entries("@p bra B; A: mov.u32 a, 1; B: mov.u32 b, 1; @q bra A; ret;"), "t.ptx:5:28 ");
  EXPECT_EQ(entries("A: mov.u32 a, 1; B: @p bra B; @q bra A; ret;"), "");
}

// A wait at the head of a loop: a loop by one of its ways back.
TEST(PtxFlow, LoopsWithOneHead) {
  const PtxFile file = read("L: @p bra L; mov.u32 a, 1; @q bra L; ret;");
  const PtxFlow flow = flow_of(file, kernel(file));
  const auto loops = loops_of(flow);
  ASSERT_EQ(loops.size(), 1U);
  EXPECT_EQ(loops[0].blocks, (std::vector<int>{0, 1}));
  const auto within = ptx::flow::loops_within(flow, loops[0]);
  ASSERT_EQ(within.size(), 1U);
  EXPECT_EQ(within[0].blocks, (std::vector<int>{0}));
}

// Which bytes of local memory statements name.
TEST(PtxLocal, PlacesAreFollowedThroughRegisters) {
  const PtxFile file = read(
      ".local .align 8 .b8 depot[16]; .reg .b64 a, b, c, d; mov.u64 a, depot; cvta.local.u64 b, a; "
      "add.u64 c, b, 8; mov.u64 d, c; add.u64 d, d, 4;\nst.u16 [c+-2], 1;\nld.volatile.u32 v, "
      "[b+4];\nst.local.v2.b8 [depot], {v, v};\nld.u32 v, [d];\nld.u32 v, [e];\nret;");
  const PtxFlow flow = flow_of(file, kernel(file));
  std::string found;
  for (const auto& [statement, names] : flow.locals) {
    found += std::to_string(file.statements[statement].line) + ":";
    for (const PtxName& name : names) found += " " + name.second;
    found += "; ";
  }
  // `d` is written twice, `e` never.
  EXPECT_EQ(found,
            "6: depot[6] depot[7]; 7: depot[4] depot[5] depot[6] depot[7]; 8: depot[0] depot[1]; ");
}

// Which of the names that the loop's branch reads go by a count.
TEST(PtxCounts, WhatABranchGoesBy) {
  const auto counted = [](const std::string& body) {
    const PtxFile file = read(body);
    const PtxFlow flow = flow_of(file, kernel(file));
    const auto loop = loops_of(flow).at(0);
    const auto stops = [&](std::size_t i) {
      return file.statements[i].parsed.name.starts_with("ld.volatile");
    };
    const ptx::flow::PtxLoopNames names(file, flow, loop);
    const ptx::flow::PtxStuck stuck(file, flow, loop, names, stops, {}, {});
    const ptx::flow::PtxCounts any(file, flow, loop, names, stops, nullptr),
        sure(file, flow, loop, names, stops, &stuck);
    std::string found;
    for (const auto& jump : flow.jumps)
      if (any.decide(jump.statement)) found += sure.decide(jump.statement) ? "sure " : "any ";
    return found;
  };
  EXPECT_EQ(counted("L: add.u32 a, a, 1; setp.lt.u32 p, a, 9; @p bra L;"), "sure ");
  EXPECT_EQ(counted("L: sub.u32 a, a, b; setp.ne.u32 p, a, 0; @p bra L;"), "sure ");
  EXPECT_EQ(counted("L: ld.u64 x, [x]; setp.ne.u64 p, x, 0; @p bra L;"), "sure ");
  // A value that is handed round is none, nor is one that a poll gives back anew.
  EXPECT_EQ(counted("L: shfl.sync.idx.b32 v, v, 0, 31, -1; setp.ne.u32 p, v, 0; @p bra L;"), "");
  EXPECT_EQ(counted("L: ld.volatile.u32 v, [a]; add.u32 w, v, 1; add.u32 a, w, 4; @p bra L;"), "");
  // What comes round, goes to and fro, is cut off, or is begun anew.
  EXPECT_EQ(counted("L: xor.b32 a, a, 1; setp.ne.u32 p, a, 9; @p bra L;"), "any ");
  EXPECT_EQ(counted("L: add.u32 a, a, 1; and.b32 b, a, 7; setp.ne.u32 p, b, 9; @p bra L;"), "any ");
  EXPECT_EQ(counted("L: add.f32 a, a, b; setp.lt.f32 p, a, c; @p bra L;"), "any ");
  EXPECT_EQ(counted("L: add.u16 a, a, 1; setp.lt.u16 p, a, b; @p bra L;"), "any ");
  EXPECT_EQ(counted("L: @q sub.u32 a, a, 1; @!q add.u32 a, a, 1; setp.lt.u32 p, a, 9; @p bra L;"),
            "any ");
  EXPECT_EQ(counted("L: @q mov.u32 a, 0; add.u32 a, a, 1; setp.lt.u32 p, a, 9; @p bra L;"), "any ");
  EXPECT_EQ(counted("L: add.u32 a, a, 1; setp.lt.u32 p, a, 9; @p bra L; mov.u32 a, 0; bra L;"),
            "any ");
  // Each turn or some of them.
  EXPECT_EQ(counted("L: @q add.u32 a, a, 1; setp.lt.u32 p, a, 9; @p bra L;"), "sure ");
  // What a branch decides by a count.
  EXPECT_EQ(counted("L: add.u32 a, a, 1; setp.lt.u32 q, a, 9; mov.u32 b, 0; @q bra M; mov.u32 b, "
                    "1; M: setp.eq.u32 p, b, 0; @p bra L;"),
            "sure sure ");
}

TEST(PtxSteady, OperandsThatAreTheSameEachTurn) {
  const auto steady = [](const std::string& body) {
    const PtxFile file = read(body);
    const PtxFlow flow = flow_of(file, kernel(file));
    const auto loops = loops_of(flow);
    const ptx::flow::PtxSteady found(file, flow, loops.at(0), [](std::size_t) { return false; });
    for (std::size_t i = 0; i < file.statements.size(); ++i)
      if (file.statements[i].parsed.name == "ld.u32") return found.operands(i);
    return false;
  };
  EXPECT_TRUE(steady("L: ld.u32 v, [x+4]; @p bra L;"));
  EXPECT_TRUE(steady("L: add.u64 x, y, 4; mov.u64 z, x; ld.u32 v, [z]; @p bra L;"));
  EXPECT_FALSE(steady("L: ld.u32 v, [x]; add.u64 x, x, 4; @p bra L;"));
  EXPECT_FALSE(steady("L: ld.u32 v, [x]; add.u64 x, y, 4; @p bra L;"));  // after it
  EXPECT_FALSE(
      steady("L: @q bra M; add.u64 x, y, 4; M: ld.u32 v, [x]; @p bra L;"));  // or not at all
  EXPECT_FALSE(steady("L: mov.u64 x, %clock64; ld.u32 v, [x]; @p bra L;"));
  EXPECT_FALSE(steady("L: ld.global.u64 x, [y]; ld.u32 v, [x]; @p bra L;"));
}

// What depends on the `ld.volatile`s of the one loop.
struct Chain {
  const char* what;
  const char* body;
  const char* names;
};

constexpr Chain chains[] = {
    {"itself", "L: ld.volatile.b32 v, [a]; @p bra L;", "v "},
    {"setp, selp, not, and",
     "L: ld.volatile.b32 v, [a]; setp.eq.u32 p, v, 1; selp.b32 w, 1, 0, p; setp.ne.b32 q, w, 0; "
     "not.pred n, q; and.pred m, n, other; @m bra L;",
     "m n p q v w "},
    {"a guard", "L: ld.volatile.b32 v, [a]; setp.eq.u32 p, v, 1; @p mov.u32 w, 1; @q bra L;",
     "p v w "},
    {"the next turn", "L: mov.u32 w, v; ld.volatile.b32 v, [a]; @q bra L;", "v w "},
    {"what a branch decides",
     "L: ld.volatile.b32 v, [a]; setp.eq.u32 p, v, 1; @p bra A; mov.u32 w, 0; bra B; A: mov.u32 w, "
     "1; B: mov.u32 x, 1; @q bra L;",
     "p v w "},
    {"a call's parameters",
     "L: ld.volatile.b32 v, [a]; st.param.b32 [in+0], v; call.uni (out), f, (in); ld.param.b32 w, "
     "[out+0]; call (y), g, (z); @q bra L;",
     "in out v w "},
    {"not what is outside", "ld.volatile.b32 v, [a]; L: mov.u32 w, v; @q bra L;", ""},
};

TEST(PtxValues, FollowAnyChain) {
  for (const Chain& row : chains) {
    const PtxFile file = read(row.body);
    const PtxFlow flow = flow_of(file, kernel(file));
    const auto loops = loops_of(flow);
    ASSERT_EQ(loops.size(), 1U) << row.what;
    const auto polled = [&](std::size_t i) {
      return file.statements[i].parsed.name.starts_with("ld.volatile");
    };
    const ptx::flow::PtxDependence found =
        ptx::flow::dependent_on(file, flow, loops[0], polled, [](std::size_t) { return false; });
    std::string names;
    for (const PtxName& name : found.names) names += name.second + " ";
    EXPECT_EQ(names, row.names) << row.what;
  }
}

}  // namespace
}  // namespace phasebit::test
