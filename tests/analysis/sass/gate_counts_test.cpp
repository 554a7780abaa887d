#include "tests/analysis/sass/rings.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace phasebit::test {
namespace {

struct Expected {
  const char *role, *verb, *pattern;
  int hot, cold;
};

struct GateCountsRow {
  const char* what;
  RingVerbs verbs;
  std::vector<const char*> targets;
  std::vector<Expected> expected;  // the hot counts are also the gate's
};

// Counts by hand from the PTX: a loop with one arrive has one hot SYNCS.ARRIVE; of a wait the first
// try is hot and, where ptxas peels it, the retry is cold.
const std::vector<GateCountsRow> gate_counts_rows = {
    {"named barriers",
     barrier_ring,
     {"sm_75", "sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_107a", "sm_120a"},
     {{"producer", "acquire", "BAR.SYNC*", 1, 0},
      {"producer", "commit", "BAR.ARV", 1, 0},
      {"consumer", "wait", "BAR.SYNC*", 1, 0},
      {"consumer", "release", "BAR.ARV", 1, 0}}},
    {"try_wait",
     try_wait_ring,
     {"sm_90a", "sm_100a", "sm_107a", "sm_120a"},
     {{"producer", "acquire", "*SYNCS.PHASECHK*TRYWAIT", 1, 1},
      {"producer", "commit", "*SYNCS.ARRIVE*", 1, 0},
      {"consumer", "wait", "*SYNCS.PHASECHK*TRYWAIT", 1, 1},
      {"consumer", "release", "*SYNCS.ARRIVE*", 1, 0}}},
    {"try_wait with a hint",
     {try_wait_empty, arrive_full,
      "L_w:\nmbarrier.try_wait.parity.shared.b64 p, [a], r, 0x989680;\n@!p bra L_w;", arrive_empty},
     {"sm_90a", "sm_100a", "sm_107a", "sm_120a"},
     {{"consumer", "wait", "*SYNCS.PHASECHK*TRYWAIT", 1, 1}}},
    {"test_wait polls in one place",
     {test_wait_empty, arrive_full, test_wait_full, arrive_empty},
     {"sm_90a", "sm_100a", "sm_107a", "sm_120a"},
     {{"producer", "acquire", "*SYNCS.PHASECHK.TRANS64", 1, 0},
      {"consumer", "wait", "*SYNCS.PHASECHK.TRANS64", 1, 0}}},
    {"test_wait and arrive before mbarriers had a unit of their own",
     {test_wait_empty, arrive_full, test_wait_full, arrive_empty},
     {"sm_80", "sm_86", "sm_89"},
     {{"producer", "acquire", "LDS", 1, 0},
      {"consumer", "wait", "LDS", 1, 0},
      {"producer", "commit", "ATOMS.ARRIVE.64", 1, 0},
      {"producer", "commit", "MEMBAR.ALL.CTA", 1, 0}}},
    {"back-off",
     {test_wait_empty, arrive_full, nanosleep_full, arrive_empty},
     {"sm_90a", "sm_100a", "sm_107a", "sm_120a"},
     {{"consumer", "wait", "*SYNCS.PHASECHK.TRANS64", 1, 1}}},
    {"back-off, emulated",
     {test_wait_empty, arrive_full, nanosleep_full, arrive_empty},
     {"sm_80", "sm_89"},
     {{"consumer", "wait", "LDS", 1, 1}}},
};

// One row, rolled or with four copies of its verbs in an iteration.
struct Case {
  const GateCountsRow* row;
  int copies;
  Script kernel;
  isa::GateSpec spec;
};

std::vector<Case> cases_of(const std::string& target) {
  std::vector<Case> cases;
  for (const GateCountsRow& row : gate_counts_rows)
    for (const int copies : {1, 4}) {
      if (std::count(row.targets.begin(), row.targets.end(), target) == 0) continue;
      RingVerbs verbs = row.verbs;
      verbs.copies = copies;
      std::vector<isa::VerbRule> rules;
      for (const Expected& one : row.expected)
        rules.push_back({one.verb, one.role, {{one.pattern, one.hot}}, {}});
      cases.push_back(
          {&row, copies, ring(verbs, fmt::format("k_{}", cases.size())), spec_of(rules, copies)});
    }
  return cases;
}

void check_case(const Case& one, const gate::GateOutput& output) {
  EXPECT_EQ(output.result.verdict, launch::GateVerdict::passed) << output.result.reason;
  for (const Expected& expected : one.row->expected) {
    SCOPED_TRACE(expected.verb);
    EXPECT_EQ(count(output.census, expected.role, expected.verb, true, expected.pattern),
              expected.hot * one.copies);
    EXPECT_EQ(count(output.census, expected.role, expected.verb, false, expected.pattern),
              expected.cold * one.copies);
  }
}

TEST(Gate, CountsPerItem) {
  PHASEBIT_NEEDS_TOOLS();
  const auto disassembler = disassembly::Disassembler::open(find_tools()->nvdisasm);
  ASSERT_TRUE(disassembler);
  for (const char* target :
       {"sm_75", "sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_107a", "sm_120a"}) {
    const std::vector<Case> cases = cases_of(target);
    ASSERT_FALSE(cases.empty());
    std::vector<Script> kernels;
    std::vector<gate::GateInput> inputs;
    for (const Case& one : cases) {
      kernels.push_back(one.kernel);
      inputs.push_back({one.kernel.entry, &one.kernel.source, one.spec});
    }
    const auto cubin = assemble(kernels, target, true, version_for(target));
    ASSERT_TRUE(cubin) << cubin.error().text();
    const auto outputs = gate_module(*disassembler, *cubin, inputs);
    ASSERT_TRUE(outputs) << outputs.error().text();
    for (std::size_t i = 0; i < cases.size(); ++i) {
      SCOPED_TRACE(fmt::format("{} {} x{}", cases[i].row->what, target, cases[i].copies));
      ASSERT_TRUE((*outputs)[i]) << (*outputs)[i].error().text();
      check_case(cases[i], *(*outputs)[i]);
    }
  }
}

}  // namespace
}  // namespace phasebit::test
