#include "analysis/gate/expectations.h"

#include "analysis/gate/expectation_file.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace phasebit::test {

using flow::CodeCounts;
using gate::GateSubject;

namespace {

CodeCounts counts(const std::map<std::string, int>& opcodes, int issue_cycles = 0) {
  CodeCounts all;
  all.opcodes = opcodes, all.issue_cycles = issue_cycles;
  return all;
}

// A kernel of a library: two loops, of which one has HMMA, lines of two files.
GateSubject gemm() {
  GateSubject one{"_ZN2ns4gemmEPf", "sm_80", "ampere", std::nullopt, "cccc", {}, {}};
  one.names = {"_ZN2ns4gemmEPf", "ns::gemm(float*)", "ns::gemm"};
  one.shown = "ns::gemm", one.file = "build/libk.so";
  one.features.kernel = counts({{"HMMA.16816.F32", 4}, {"STL", 2}});
  one.kernel.places = {{"HMMA.16816.F32", "k.cu:20, 0x0100"}};
  one.kernel.live = cubin::LiveCounts{90, 0, 0, 0};
  one.lines = {{"src/a/k.cu", 12, {counts({{"LDGSTS.E.128", 2}})}},
               {"src/b/k.cu", 12, {counts({{"MUFU.EX2", 1}})}},
               {"src/inc.h", 7, {counts({{"BAR.SYNC", 1}})}}};
  one.loops = {
      {"0x80-0xe0, k.cu:12", {counts({{"HMMA.16816.F32", 4}}, 60), {}, cubin::LiveCounts{70}}},
      {"0x200-0x230", {counts({{"LDG.E", 1}}, 9)}}};
  one.loops[0].own.places = {{"HMMA.16816.F32", "k.cu:20, 0x0100"}};
  one.spills = gate::GateSpills{{8, 0}, "spill bytes"};
  one.sm = isa::TargetTable::load()->find("sm_80").value();
  one.needs = flow::CtaNeeds{0, 128, 0, 1};
  return one;
}

// A ring by hand: a consumer that waits once, and a kernel without loops.
std::vector<GateSubject> subjects() {
  GateSubject ring{
      "ring/mbarrier/none", "sm_90a", "hopper", isa::Version{{13, 5, 37}}, "aaaa", {}, {}};
  ring.features.registers = 40;
  ring.features.spill = flow::SpillBytes{8, 4};
  ring.features.occupancy = flow::Occupancy{8, 32, 64, {"registers"}};
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
  return {ring, other, gemm()};
}

// What the gate says of one rule.
std::string said(const std::string& rule) {
  const auto file = gate::parse_expectations(rule, "f.toml");
  if (!file) return file.error().text();
  const auto report = gate::check_expectations(file->expectations, subjects());
  return report ? gate::gate_as_text(*report) : report.error().text();
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
       place + "  expected producer: code\n  found no such timed loop, only consumer\n" + broken},
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

std::string not_judged(const std::string& why) {
  return "f.toml:1: n: build/libk.so: ns::gemm for sm_80: not judged: gate: " + why +
         "\n0 checks, 0 broken, 1 not judged\n";
}

// What the gate says of a rule for gemm, without the head that all broken ones have.
std::string of_gemm(const std::string& body) {
  const std::string head = "f.toml:1: n: build/libk.so: ns::gemm for sm_80\n";
  std::string text = said(rule("kernels = \"ns::gemm\"\n" + body));
  if (text.starts_with(head)) text.erase(0, head.size());
  return text;
}

TEST(Expectations, OfOthersCode) {
  const std::string held = "1 checks, 0 broken\n", broken = "1 checks, 1 broken\n";
  struct Row {
    std::string body, expected;
  };
  const Row rows[] = {
      {"count = { \"HMMA*\" = 4 }", held},
      {"must_not = \"HMMA*\"",
       "  expected no HMMA*\n  found HMMA.16816.F32 x4; first at k.cu:20, 0x0100\n" + broken},
      {"where = \"line a/k.cu:12\"\nmust = \"LDGSTS*\"", held},
      {"where = \"line inc.h:7\"\nmust = \"BAR*\"", held},
      {"where = \"line inc.h:8\"\nmust = \"BAR*\"",
       "  expected line inc.h:8: code\n  found no instruction of that line\n" + broken},
      {"where = \"line nc.h:7\"\nmust = \"BAR*\"",
       "  expected line nc.h:7: code\n  found no code of that file, only of src/a/k.cu, "
       "src/b/k.cu, "
       "src/inc.h\n" +
           broken},
      {"where = \"line 12\"\nmust = \"BAR*\"",
       not_judged(
           "where: 'line 12' may mean a line of src/a/k.cu, src/b/k.cu, src/inc.h (write `line "
           "src/a/k.cu:12`, or another of them)")},
      {"where = \"line k.cu:12\"\nmust = \"BAR*\"",
       not_judged("where: 'line k.cu:12' may mean a line of src/a/k.cu, src/b/k.cu (write `line "
                  "src/a/k.cu:12`, or another of them)")},
      {"where = \"loop with HMMA*\"\nmax_issue_cycles = 60", held},
      {"where = \"loop with HMMA*\"\nmust_not = \"HMMA*\"",
       "  expected loop with HMMA* (0x80-0xe0, k.cu:12): no HMMA*\n  found HMMA.16816.F32 x4; "
       "first "
       "at k.cu:20, 0x0100\n" +
           broken},
      {"where = \"loop with *\"\nmax_issue_cycles = 8",
       "  expected loop with * (0x80-0xe0, k.cu:12): at most 8 issue cycles\n  found 60\n"
       "f.toml:1: n: build/libk.so: ns::gemm for sm_80\n"
       "  expected loop with * (0x200-0x230): at most 8 issue cycles\n  found 9\n2 checks, 2 "
       "broken\n"},
      {"where = \"loop with HGMMA*\"\nmust = \"BAR*\"",
       "  expected loop with HGMMA*: code\n  found no loop with it; 2 without\n" + broken},
      {"where = \"consumer\"\nmust = \"BAR*\"",
       "  expected consumer: code\n  found no timed loop at all: roles are of variants\n" + broken},
      {"max_spill_bytes = 8", held},
      {"max_spill_bytes = 7", "  expected at most 7 spill bytes\n  found 8\n" + broken},
      {"max_live_registers = 90", held},
      {"max_live_registers = 89", "  expected at most 89 live registers\n  found 90\n" + broken},
      {"where = \"loop with HMMA*\"\nmax_live_registers = 70", held},
      {"max_registers = 9",
       "  expected a register count\n  found the cubin does not say\n" + broken},
      // 65536 registers an SM of sm_80: 128 a thread leave 512 threads, 16 warps.
      {"min_warps = 16\nthreads = 256", held},
      {"min_warps = 17\nthreads = 256",
       "  expected at least 17 warps an SM\n  found 16, limited by registers\n" + broken},
      // 163 KiB of shared memory and 1 of the driver's a CTA: 100 KiB are one CTA of 8 warps.
      {"min_warps = 9\nthreads = 256\ndynamic_shared_bytes = 102400",
       "  expected at least 9 warps an SM\n  found 8, limited by shared memory\n" + broken},
      {"min_warps = 8",
       not_judged("it has no launch bounds (say how it is launched: threads = 256)")},
  };
  for (const Row& row : rows) EXPECT_EQ(of_gemm(row.body), row.expected) << row.body;
}

TEST(Expectations, KernelsAreNamedAsPeopleNameThem) {
  for (const char* name : {"_ZN2ns4gemmEPf", "ns::gemm(float*)", "ns::gemm", "ns::*", "*gemm*"})
    EXPECT_EQ(said(rule(fmt::format("kernels = \"{}\"\nmust = \"HMMA*\"", name))),
              "1 checks, 0 broken\n")
        << name;
  EXPECT_EQ(said(rule("kernels = \"ns::gem\"\nmust = \"HMMA*\"")),
            "gate: f.toml:1: 'n' speaks of no code here (3 kernels were looked at; its patterns "
            "match 0 of them; none of the kernels fits 'ns::gem': did you mean 'ns::gemm'?)");
  EXPECT_EQ(said(rule("kernels = \"ns::gemm\"\ntargets = \"sm_8O\"\nmust = \"HMMA*\"")),
            "gate: f.toml:1: 'n' speaks of no code here (3 kernels were looked at; its patterns "
            "match 0 of them; none of the targets fits 'sm_8O': did you mean 'sm_80'?)");
  EXPECT_EQ(said(rule("variants = \"ring/mbarrier/*\"\nmax_live_registers = 1")),
            "f.toml:1: n: ring/mbarrier/none for sm_90a by ptxas 13.5.37: not judged: gate: its "
            "live registers were not counted\n0 checks, 0 broken, 1 not judged\n");
}

TEST(Expectations, ClassesAreComparedOnEachTarget) {
  const std::string rings = "name = \"n\"\nvariants = \"ring/*\"\n";
  EXPECT_EQ(said("[[differ]]\n" + rings), "1 checks, 0 broken\n");
  EXPECT_EQ(said("[[same]]\n" + rings),
            "f.toml:1: n: ring/other/none for sm_90a by ptxas 13.5.37\n  expected the code of "
            "ring/mbarrier/none\n  found bbbb and aaaa\n1 checks, 1 broken\n");
}

// A rule holds for a file that has no such kernel, whatever the file has.
TEST(Expectations, FilesThatLackANamedKernelAreNamed) {
  std::vector<GateSubject> both = {gemm(), gemm(), gemm()};
  both[1].file = both[2].file = "build/b.so";
  both[1].names = {"other"}, both[2].names = {"third"};
  const auto report_of = [&](const std::string& body) {
    return *gate::check_expectations(gate::parse_expectations(rule(body), "f.toml")->expectations,
                                     both);
  };
  const gate::GateReport named = report_of("kernels = \"ns::gemm\"\nmust = \"HMMA*\"");
  EXPECT_EQ(gate::gate_as_text(named),
            "f.toml:1: n: says nothing of build/b.so: no kernel there that it names\n"
            "1 checks, 0 broken\n");
  const auto json = nlohmann::json::parse(gate::gate_as_json(named))["silent"];
  EXPECT_EQ(json, nlohmann::json::parse(
                      R"([{"place": "f.toml:1", "rule": "n", "files": ["build/b.so"],
                           "where": ""}])"));
  for (const char* kernels : {"kernels = [\"ns::gemm\", \"third\"]\n", "kernels = \"*\"\n", ""})
    EXPECT_TRUE(report_of(std::string(kernels) + "must = \"HMMA*\"").silent.empty()) << kernels;
}

// With where_present a rule speaks of those that have such code; of these it is as strict as ever.
TEST(Expectations, WhereThereIsOne) {
  const std::string present = "where_present = true\n";
  const auto text = [&](const std::string& where, const std::string& rest) {
    return said(rule("where = \"" + where + "\"\n" + present + rest));
  };
  // Of three kernels one has such a loop, one line, or this verb.
  EXPECT_EQ(text("loop with HMMA*", "max_issue_cycles = 60"), "1 checks, 0 broken\n");
  EXPECT_EQ(text("loop with HMMA*", "max_issue_cycles = 59"),
            "f.toml:1: n: build/libk.so: ns::gemm for sm_80\n  expected loop with HMMA* "
            "(0x80-0xe0, k.cu:12): at most 59 issue cycles\n  found 60\n1 checks, 1 broken\n");
  EXPECT_EQ(text("line inc.h:7", "must = \"BAR*\""), "1 checks, 0 broken\n");
  EXPECT_EQ(text("consumer.wait", "must = \"SYNCS*\""), "2 checks, 0 broken\n");
  EXPECT_EQ(text("consumer", "must = \"SYNCS*\""), "2 checks, 0 broken\n");
  // What fits nowhere is said.
  for (const char* where :
       {"loop with HGMMA*", "line inc.h:8", "line other.h:7", "consumer.release", "producer"})
    EXPECT_EQ(text(where, "must_not = \"BAR*\""),
              fmt::format("f.toml:1: n: fits nowhere: no kernel that it names has {}\n0 checks, 0 "
                          "broken\n",
                          where));
  // Of what is all there nothing can be missing.
  for (const char* where : {"", "where = \"kernel\"\n"})
    EXPECT_NE(said(rule(where + present + "must = \"BAR*\"")).find("where_present without"),
              std::string::npos)
        << where;
  EXPECT_EQ(said(rule("where = \"consumer\"\nwhere_present = 1\nmust = \"BAR*\"")),
            "spec: f.toml:4: where_present is true or false");
}

// A loop after a branch that cannot be followed may be there: it is not absent.
TEST(Expectations, WhereThereMayBeOne) {
  GateSubject one = gemm();
  one.loops_problem = "a branch cannot be followed";
  const auto file = gate::parse_expectations(
      rule("where = \"loop with HGMMA*\"\nwhere_present = true\nmust = \"BAR*\""), "f.toml");
  const auto report = gate::check_expectations(file->expectations, {one});
  ASSERT_TRUE(report) << report.error().text();
  ASSERT_EQ(report->broken.size(), 1U);
  EXPECT_EQ(report->broken[0].found,
            "no loop with it; 2 without; there may be others: a branch cannot be followed");
}

// One that cannot be read or told is said, and the others are judged.
TEST(Expectations, OneThatCannotBeJudgedEndsNothing) {
  std::vector<GateSubject> all = {gemm(), gemm(), gemm()};
  all[0].file = "build/a.so", all[1].file = "build/b.so";
  all[0].set_problem(Error{Step::disassemble, "nvdisasm prints garbage", {}});
  all[1].needs.threads = 256;
  const auto report_of = [&](const std::string& body) {
    return gate::check_expectations(gate::parse_expectations(rule(body), "f.toml")->expectations,
                                    all);
  };
  const auto report = report_of("min_warps = 17");
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_EQ(report->checks, 1U);
  ASSERT_EQ(report->broken.size(), 1U);
  EXPECT_EQ(report->broken[0].file, "build/b.so");
  ASSERT_EQ(report->unjudged.size(), 2U);
  EXPECT_EQ(report->unjudged[0].file, "build/a.so");
  EXPECT_EQ(report->unjudged[0].why.step, Step::disassemble);
  EXPECT_EQ(report->unjudged[1].file, "build/libk.so");
  EXPECT_EQ(report->unjudged[1].why.message, "it has no launch bounds");
  const auto json = nlohmann::json::parse(gate::gate_as_json(*report))["unjudged"];
  EXPECT_EQ(json[0]["why"], "disassemble: nvdisasm prints garbage");
  EXPECT_EQ(json[0]["rule"], "");
  EXPECT_EQ(json[1]["place"], "f.toml:1");
}

// A rule about nothing would always hold.
TEST(Expectations, ThatConcernNothingAreErrors) {
  const auto about_nothing = [](int matching, const std::string& hint) {
    return fmt::format(
        "gate: f.toml:1: 'n' speaks of no code here (3 kernels were looked at; its "
        "patterns match {} of them{})",
        matching, hint);
  };
  EXPECT_EQ(said(rule("variants = \"rings/mbarrier/none\"\nmust = \"BAR*\"")),
            about_nothing(0,
                          "; none of the variants fits 'rings/mbarrier/none': did you mean "
                          "'ring/mbarrier/none'?"));
  EXPECT_EQ(said(rule("ptxas = \"<13\"\nmust = \"BAR*\"")), about_nothing(0, ""));
  EXPECT_EQ(said(rule("kernels = \"*gemm*\"\nptxas = \">=1\"\nmust = \"BAR*\"")),
            about_nothing(0, ""));
  EXPECT_EQ(said("[[same]]\nname = \"n\"\nkernels = \"*gemm*\"\n"), about_nothing(1, ""));
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
  EXPECT_EQ(
      said(rule("where = \"line k.cu\"\nmust = \"BAR\"")),
      "spec: f.toml:3: where: 'line k.cu' names no line (write `line 12` or `line gemm.cu:12`)");
  EXPECT_EQ(said(rule("where = \"loop HMMA\"\nmust = \"BAR\"")),
            "spec: f.toml:3: where: 'loop HMMA' names no opcode (write `loop with HGMMA*`)");
  EXPECT_EQ(
      said(rule("threads = 256\nmust = \"BAR\"")),
      "spec: f.toml:3: threads without min_warps (it says how the kernel is launched, for its "
      "occupancy)");
}

// A pattern that fits no opcode is found nowhere, so "never" would hold whatever the code is.
TEST(Expectations, PatternsThatFitNoOpcode) {
  const auto refused = [](const std::string& key, const std::string& pattern) {
    return fmt::format(
        "spec: f.toml:3: {}: '{}' fits no opcode (opcodes are upper case and without blanks: "
        "\"BAR.SYNC*\")",
        key, pattern);
  };
  for (const char* pattern : {"bar*", "BAR* ", " BAR*", "BAR SYNC", "Bar*", "*bar*", "BAR.sync*",
                              "", "[a-z]*", "BAR\\t"}) {
    const std::string read = std::string(pattern) == "BAR\\t" ? "BAR\t" : pattern;
    for (const char* key : {"must", "must_not"})
      EXPECT_EQ(said(rule(fmt::format("{} = [\"HMMA*\", \"{}\"]", key, pattern))),
                refused(key, read));
    EXPECT_EQ(said(rule(fmt::format("count = {{ \"{}\" = 0 }}", pattern))), refused("count", read));
  }
  // What nvdisasm writes, and patterns of it.
  for (const char* pattern : {"LDTM.x2", "LDTM.16dp32bit_t0_t15.x2", "*x32", "BAR*", "*", "?AR.*",
                              "[!A]*", "HGMMA.64x64x16.F32.BF16", "F2F.F16.F32"})
    EXPECT_TRUE(gate::parse_expectations(rule(fmt::format("must_not = \"{}\"", pattern)), "f"))
        << pattern;
}

TEST(Expectations, AsJson) {
  const auto file =
      gate::parse_expectations(rule("variants = \"ring/m*\"\nmax_registers = 1"), "f.toml");
  const auto json = nlohmann::json::parse(
      gate::gate_as_json(*gate::check_expectations(file->expectations, subjects())));
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["checks"], 1);
  EXPECT_EQ(json["broken"][0]["place"], "f.toml:1");
  EXPECT_EQ(json["broken"][0]["subject"], "ring/mbarrier/none for sm_90a by ptxas 13.5.37");
  EXPECT_EQ(json["broken"][0]["expected"], "at most 1 registers");
  EXPECT_EQ(json["broken"][0]["found"], "40");
}

}  // namespace
}  // namespace phasebit::test
