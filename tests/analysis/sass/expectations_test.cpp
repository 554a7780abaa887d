#include "analysis/gate/expectation_file.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace phasebit {
namespace {

// A ring by hand: a consumer that waits once, and a kernel without loops.
std::vector<GateSubject> subjects() {
  GateSubject ring{"ring/mbarrier/none", "sm_90a", "hopper", Version{{13, 5, 37}}, "aaaa", {}, {}};
  ring.features.registers = 40;
  ring.features.spill = SpillBytes{8, 4};
  ring.features.occupancy = Occupancy{8, 32, 64, {"registers"}};
  CodeCounts wait;
  wait.instructions = 2;
  wait.issue_cycles = 7;
  wait.opcodes = {{"SYNCS.PHASECHK.TRANS64.TRYWAIT", 1}, {"BRA", 1}};
  ring.features.kernel = wait;
  ring.features.kernel.opcodes["MEMBAR.ALL.CTA"] = 3;
  ring.features.loops.push_back({"consumer", "", 0x10, wait, {}, {}, {}});
  ring.features.verbs.push_back({"consumer", "wait", wait, {}});
  GateSubject other = ring;
  other.name = "ring/other/none", other.code_class = "bbbb";
  GateSubject foreign{"gemm", "sm_80", "ampere", std::nullopt, "cccc", {}, {}};
  foreign.features.kernel.opcodes = {{"HMMA.16816.F32", 4}};
  foreign.features.kernel.local_stores = 2;
  foreign.lines[12].opcodes = {{"LDGSTS.E.128", 2}};
  return {ring, other, foreign};
}

// What the gate says of one rule.
std::string said(const std::string& rule) {
  const auto file = parse_expectations(rule, "f.toml");
  if (!file) return file.error().text();
  const auto report = check_expectations(file->expectations, subjects());
  return report ? gate_as_text(*report) : report.error().text();
}

std::string rule(const std::string& body) {
  return "[[rule]]\nname = \"n\"\n" + body + "\n";
}

TEST(Expectations, HoldOrSayWhatWasFound) {
  const std::string ring = "variants = \"ring/mbarrier/*\"\n";
  const std::string place = "f.toml:1: n: ring/mbarrier/none for sm_90a by ptxas 13.5.37\n";
  const std::string held = "1 checks, 0 broken\n", broken = "1 checks, 1 broken\n";
  struct Row {
    std::string body, expected;
  };
  const Row rows[] = {
      {"must = \"SYNCS.PHASECHK*\"", held},
      {"must = \"BAR*\"", place +
                              "  expected BAR* x1 or more\n  found none; there are BRA x1, "
                              "SYNCS.PHASECHK.TRANS64.TRYWAIT x1\n" +
                              broken},
      {"must_not = \"MEMBAR*\"", held},  // not on the hot path
      {"where = \"kernel\"\nmust_not = [\"MEMBAR*\"]",
       place + "  expected kernel: no MEMBAR*\n  found MEMBAR.ALL.CTA x3\n" + broken},
      {"where = \"consumer.wait\"\ncount = { \"BRA*\" = 2 }",
       place + "  expected consumer.wait: BRA* x2\n  found BRA x1\n" + broken},
      {"where = \"consumer\"\ncount = { \"BRA*\" = \"2..3\" }",
       place + "  expected consumer: BRA* x2 to x3\n  found BRA x1\n" + broken},
      {"where = \"consumer\"\ncount = { \"BRA*\" = \"1..\" }", held},
      {"where = \"producer\"\nmust_not = \"BAR*\"",
       place + "  expected producer: code\n  found no such timed loop\n" + broken},
      {"where = \"consumer.checksum\"\nmust_not = \"BAR*\"",
       place +
           "  expected consumer.checksum: code\n  found no code of that verb in a timed loop, only "
           "of consumer.wait\n" +
           broken},
      {"max_registers = 40", held},
      {"max_registers = 39", place + "  expected at most 39 registers\n  found 40\n" + broken},
      {"max_spill_bytes = 11", place + "  expected at most 11 spill bytes\n  found 12\n" + broken},
      {"max_issue_cycles = 6", place + "  expected at most 6 issue cycles\n  found 7\n" + broken},
      {"max_instructions = 2", held},
      {"min_warps = 33",
       place + "  expected at least 33 warps an SM\n  found 32, limited by registers\n" + broken},
      {"min_warps = 32\nptxas = \">=13.0\"\nfamily = \"hopper\"\ntargets = \"sm_9*\"", held},
  };
  for (const Row& row : rows) EXPECT_EQ(said(rule(ring + row.body)), row.expected) << row.body;
}

TEST(Expectations, OfOthersCode) {
  const std::string gemm = "kernels = \"gemm\"\n";
  EXPECT_EQ(said(rule(gemm + "count = { \"HMMA*\" = 4 }")), "1 checks, 0 broken\n");
  EXPECT_EQ(said(rule(gemm + "where = \"line 12\"\nmust = \"LDGSTS*\"")), "1 checks, 0 broken\n");
  EXPECT_EQ(said(rule(gemm + "where = \"line 13\"\nmust = \"LDGSTS*\"")),
            "f.toml:1: n: gemm for sm_80\n  expected line 13: code\n  found no instruction of that "
            "line\n1 checks, 1 broken\n");
  EXPECT_EQ(said(rule(gemm + "max_spill_bytes = 0")),
            "f.toml:1: n: gemm for sm_80\n  expected at most 0 bytes of local memory accesses\n"
            "  found 8\n1 checks, 1 broken\n");
  EXPECT_EQ(said(rule(gemm + "max_registers = 9")),
            "f.toml:1: n: gemm for sm_80\n  expected a register count\n  found the cubin does not "
            "say\n1 checks, 1 broken\n");
}

TEST(Expectations, ClassesAreComparedOnEachTarget) {
  const std::string rings = "name = \"n\"\nvariants = \"ring/*\"\n";
  EXPECT_EQ(said("[[differ]]\n" + rings), "1 checks, 0 broken\n");
  EXPECT_EQ(said("[[same]]\n" + rings),
            "f.toml:1: n: ring/other/none for sm_90a by ptxas 13.5.37\n  expected the code of "
            "ring/mbarrier/none\n  found bbbb and aaaa\n1 checks, 1 broken\n");
}

// A rule about nothing would hold for ever.
TEST(Expectations, ThatConcernNothingAreErrors) {
  const auto about_nothing = [](int matching) {
    return fmt::format(
        "gate: f.toml:1: 'n' speaks of no code here (3 kernels were looked at; its "
        "patterns match {} of them)",
        matching);
  };
  EXPECT_EQ(said(rule("variants = \"rings/*\"\nmust = \"BAR*\"")), about_nothing(0));
  EXPECT_EQ(said(rule("ptxas = \"<13\"\nmust = \"BAR*\"")), about_nothing(0));
  EXPECT_EQ(said(rule("kernels = \"gemm\"\nptxas = \">=1\"\nmust = \"BAR*\"")), about_nothing(0));
  EXPECT_EQ(said("[[same]]\nname = \"n\"\nvariants = \"gemm\"\n"), about_nothing(1));
}

TEST(Expectations, TheFileIsCheckedByLineAndKey) {
  EXPECT_EQ(said(""), "spec: f.toml: no [[rule]], [[same]] or [[differ]]");
  EXPECT_EQ(said("[[rule]]\nnam = \"n\"\n"), "spec: f.toml:2: no key 'nam' (did you mean 'name'?)");
  EXPECT_EQ(said("[[rule]]\nmust = \"BAR\"\n"),
            "spec: f.toml:1: a name is missing: what is expected, in words");
  EXPECT_EQ(said(rule("")), "spec: f.toml:1: 'n' expects nothing");
  EXPECT_EQ(said(rule("must = 1")), "spec: f.toml:3: must is a word or a list of words");
  EXPECT_EQ(said(rule("count = { \"BAR\" = \"x..\" }")),
            "spec: f.toml:3: the count of BAR is a number, or \"1..2\", \"2..\"");
  EXPECT_EQ(said(rule("max_registers = \"9\"")), "spec: f.toml:3: max_registers is a number");
  EXPECT_EQ(said("[[same]]\nname = \"n\"\nmust = \"BAR\"\n").substr(0, 31),
            "spec: f.toml:3: no key 'must' (");
  EXPECT_EQ(said(rule("ptxas = \"13\"\nmust = \"BAR\"")).substr(0, 22), "spec: f.toml:1: ptxas:");
  EXPECT_EQ(said("[[rule]\n").substr(0, 14), "spec: f.toml:1");
}

TEST(Expectations, AsJson) {
  const auto file = parse_expectations(rule("variants = \"ring/m*\"\nmax_registers = 1"), "f.toml");
  const auto json =
      nlohmann::json::parse(gate_as_json(*check_expectations(file->expectations, subjects())));
  EXPECT_EQ(json["checks"], 1);
  EXPECT_EQ(json["broken"][0]["place"], "f.toml:1");
  EXPECT_EQ(json["broken"][0]["subject"], "ring/mbarrier/none for sm_90a by ptxas 13.5.37");
  EXPECT_EQ(json["broken"][0]["expected"], "at most 1 registers");
  EXPECT_EQ(json["broken"][0]["found"], "40");
}

}  // namespace
}  // namespace phasebit
