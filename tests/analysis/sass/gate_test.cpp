#include "analysis/gate/gate.h"

#include "tests/analysis/sass/rings.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using isa::GateSpec;
using launch::GateVerdict;

namespace {

Result<gate::GateOutput> gate(const Script& kernel, const std::string& target,
                              const GateSpec& spec) {
  PHASEBIT_TRY_ASSIGN(cubin, assemble({kernel}, target, true, version_for(target)));
  PHASEBIT_TRY_ASSIGN(disassembler, disassembly::Disassembler::open(find_tools()->nvdisasm));
  PHASEBIT_TRY_ASSIGN(outputs,
                      gate_module(disassembler, cubin, {{kernel.entry, &kernel.source, spec}}));
  return outputs.front();
}

TEST(Gate, FailureListsHotAndCold) {
  PHASEBIT_NEEDS_TOOLS();
  const auto output = gate(ring(barrier_ring), "sm_90a",
                           spec_of({{"wait", "consumer", {{"SYNCS.PHASECHK*TRYWAIT", 1}}, {}},
                                    {"commit", "producer", {{"BAR.ARV", 2}}, {"BAR.A*"}}}));
  ASSERT_TRUE(output) << output.error().text();
  EXPECT_EQ(output->result.verdict, GateVerdict::failed);
  EXPECT_EQ(
      output->result.reason,
      "wait (consumer): expected SYNCS.PHASECHK*TRYWAIT x1 per item, found 0 "
      "(hot: BAR.SYNC.DEFER_BLOCKING x1, WARPSYNC.ALL x1; cold: none); "
      "commit (producer): expected BAR.ARV x2 per item, found 1 (hot: BAR.ARV x1; cold: none); "
      "commit (producer): forbidden BAR.A*, found BAR.ARV x1 (hot: BAR.ARV x1; cold: none)");
}

TEST(Gate, ForbiddenOpcodesFailHotAndCold) {
  PHASEBIT_NEEDS_TOOLS();
  RingVerbs verbs = try_wait_ring;
  verbs.commit = "mbarrier.arrive.release.cluster.shared::cta.b64 s, [a];";
  const auto hot = gate(ring(verbs), "sm_90a", spec_of({{"commit", "", {}, {"MEMBAR*GPU"}}}));
  ASSERT_TRUE(hot) << hot.error().text();
  EXPECT_EQ(hot->result.verdict, GateVerdict::failed);
  EXPECT_TRUE(hot->result.reason.starts_with(
      "commit (producer): forbidden MEMBAR*GPU, found MEMBAR.ALL.GPU x1 (hot: "))
      << hot->result.reason;
  verbs.wait = "L_w:\nmbarrier.try_wait.parity.shared.b64 p, [a], r, 100;\n@!p bra L_w;";
  const auto cold = gate(ring(verbs), "sm_90a", spec_of({{"wait", "", {}, {"NANOSLEEP*"}}}));
  ASSERT_TRUE(cold) << cold.error().text();
  EXPECT_EQ(cold->result.verdict, GateVerdict::failed);
  EXPECT_TRUE(cold->result.reason.starts_with(
      "wait (consumer): forbidden NANOSLEEP*, found NANOSLEEP.SYNCS x1 (hot: "))
      << cold->result.reason;
}

TEST(Gate, ForbiddenEverywhere) {
  PHASEBIT_NEEDS_TOOLS();
  RingVerbs verbs = barrier_ring;
  verbs.work =
      "shl.b32 a, r, 2;\nmov.u32 tid, local;\nadd.u32 tid, tid, a;\n"
      "st.local.u32 [tid], i;\nxor.b32 a, a, 4;\nmov.u32 tid, local;\n"
      "add.u32 tid, tid, a;\nld.local.u32 tid, [tid];\nst.shared.u32 [base+1024], tid;";
  Script kernel = ring(verbs);
  kernel.statements[3] += " .local .b32 local[4];";
  const auto output = gate(kernel, "sm_90a", spec_of({}));
  ASSERT_TRUE(output) << output.error().text();
  EXPECT_EQ(output->result.verdict, GateVerdict::failed);
  EXPECT_TRUE(output->result.reason.starts_with(
      "consumer: forbidden in the timed window: LDL*, found LDL at 0x"))
      << output->result.reason;
}

// Two tries whose answers are used after both are under way at once; with a use between them one
// is.
TEST(Gate, TriesUnderWayAtOnce) {
  PHASEBIT_NEEDS_TOOLS();
  const std::string first = "mbarrier.try_wait.parity.shared.b64 q0, [a], r;\n",
                    second = "mbarrier.try_wait.parity.shared.b64 q1, [a+8], r;\n",
                    use_second = "selp.u32 tid, 1, 0, q1;\n",
                    use_first = "@q0 add.u32 tid, tid, tid;\n",
                    keep = "st.volatile.shared.u32 [base+1024], tid;\n";
  const auto verdict = [](const std::string& wait) {
    RingVerbs verbs = try_wait_ring;
    verbs.wait = "{\n.reg .pred q<2>;\n" + wait + "}";
    const GateSpec spec =
        spec_of({{"wait", "consumer", {{"*SYNCS.PHASECHK*TRYWAIT", 2, isa::Path::at_once}}, {}}});
    const auto output = gate(ring(verbs), "sm_90a", spec);
    EXPECT_TRUE(output) << output.error().text();
    return output ? output->result : launch::GateResult{};
  };
  const launch::GateResult together = verdict(first + second + use_second + use_first + keep);
  EXPECT_EQ(together.verdict, GateVerdict::passed) << together.reason;
  const launch::GateResult apart =
      verdict(first + "selp.u32 tid, 1, 0, q0;\n" + keep + second + use_second + keep);
  EXPECT_EQ(apart.verdict, GateVerdict::failed);
  EXPECT_EQ(apart.reason,
            "wait (consumer): expected *SYNCS.PHASECHK*TRYWAIT x2 at once, found 1 before one is "
            "waited for");
}

TEST(Gate, WorkLoopIsCold) {
  PHASEBIT_NEEDS_TOOLS();
  RingVerbs verbs = try_wait_ring;
  verbs.work =
      "mov.u32 tid, 0;\nL_work:\n.pragma \"nounroll\";\nfma.rn.f32 f, f, f, f;\n"
      "add.u32 tid, tid, 1;\nsetp.lt.u32 p, tid, n;\n@p bra L_work;";
  verbs.release += "\nst.shared.f32 [base+1024], f;";
  for (const char* target : {"sm_90a", "sm_100a", "sm_107a"}) {
    const auto output =
        gate(ring(verbs), target, spec_of({{"wait", "", {{"*SYNCS.PHASECHK*TRYWAIT", 1}}, {}}}));
    ASSERT_TRUE(output) << output.error().text();
    EXPECT_EQ(output->result.verdict, GateVerdict::passed) << output->result.reason;
    EXPECT_EQ(count(output->census, "consumer", "work", true, "FFMA*"), 0);
    EXPECT_EQ(count(output->census, "consumer", "work", false, "FFMA*"), 1);
  }
}

TEST(Gate, UnknownIsUngatedButCounted) {
  PHASEBIT_NEEDS_TOOLS();
  GateSpec spec;
  spec.why_unknown = "no gate for this family";
  const auto output = gate(ring(try_wait_ring), "sm_90a", spec);
  ASSERT_TRUE(output);
  EXPECT_EQ(output->result.verdict, GateVerdict::ungated);
  EXPECT_EQ(output->result.reason, "no gate for this family");
  EXPECT_EQ(count(output->census, "consumer", "release", true, "SYNCS.ARRIVE*"), 1);
}

// Rules of verbs that the text does not have say nothing of its code, whatever the head has.
TEST(Gate, RulesOfOtherVerbsAreNone) {
  PHASEBIT_NEEDS_TOOLS();
  const auto verdict = [](GateSpec spec) {
    const auto output = gate(ring(barrier_ring), "sm_90a", spec);
    EXPECT_TRUE(output) << output.error().text();
    return output ? output->result : launch::GateResult{};
  };
  GateSpec spec = spec_of({{"nothing", "", {}, {"LDL*"}}, {"wait", "nobody", {{"BAR*", 9}}, {}}});
  spec.forbid_everywhere.clear();
  EXPECT_EQ(verdict(spec).verdict, GateVerdict::ungated);
  EXPECT_EQ(verdict(spec).reason, "no rule speaks of a verb of its text");
  // One that speaks of it, what is forbidden anywhere, or synchronisation that no rule counts.
  GateSpec one = spec, anywhere = spec, exhaustive = spec;
  one.verbs.push_back({"wait", "consumer", {}, {"LDL*"}});
  EXPECT_EQ(verdict(one).verdict, GateVerdict::passed);
  anywhere.forbid_everywhere = {"LDL*"};
  EXPECT_EQ(verdict(anywhere).verdict, GateVerdict::passed);
  exhaustive.exhaustive_for = "hopper";
  EXPECT_EQ(verdict(exhaustive).verdict, GateVerdict::failed);
}

TEST(Gate, VerbWithoutWindowFails) {
  PHASEBIT_NEEDS_TOOLS();
  Script kernel = ring(barrier_ring);
  kernel.source[0].role = "helper";  // a role without clock reads
  const auto output = gate(kernel, "sm_90a",
                           spec_of({{"tail", "", {{"BAR.SYNC*", 1}}, {}},
                                    {"wait", "helper", {{"BAR*", 1}}, {}},
                                    {"wait", "both", {{"BAR*", 1}}, {}}}));  // no such role: void
  ASSERT_TRUE(output);
  EXPECT_EQ(output->result.reason,
            "tail (any role): no timed window holds it; wait (helper): no timed window holds it");
}

TEST(Gate, ManyKernelsInOneCall) {
  PHASEBIT_NEEDS_TOOLS();
  const Script a = ring(try_wait_ring, "k_a"), b = ring(barrier_ring, "k_b"),
               twin = ring(try_wait_ring, "k_twin");
  const auto cubin = assemble({a, b, twin}, "sm_90a");
  ASSERT_TRUE(cubin) << cubin.error().text();
  const auto disassembler = disassembly::Disassembler::open(find_tools()->nvdisasm);
  ASSERT_TRUE(disassembler);
  EXPECT_EQ(disassembler->version(), "13.5.37");
  const GateSpec spec = spec_of({{"wait", "", {{"SYNCS.PHASECHK*TRYWAIT", 1}}, {}}});
  const auto outputs = gate_module(*disassembler, *cubin,
                                   {{"k_twin", &twin.source, spec},
                                    {"k_b", &b.source, spec},
                                    {"k_c", &b.source, spec},
                                    {"k_a", &a.source, spec}});
  ASSERT_TRUE(outputs) << outputs.error().text();
  ASSERT_EQ(outputs->size(), 4U);
  EXPECT_EQ((*outputs)[0]->result.verdict, GateVerdict::passed);
  EXPECT_EQ((*outputs)[1]->result.verdict, GateVerdict::failed);
  EXPECT_EQ((*outputs)[2].error().text(), "disassemble: the module has no kernel k_c");
  EXPECT_EQ((*outputs)[3]->result.verdict, GateVerdict::passed);
  EXPECT_EQ((*outputs)[0]->text_hash, (*outputs)[3]->text_hash);
  EXPECT_NE((*outputs)[0]->text_hash, (*outputs)[1]->text_hash);
}

}  // namespace
}  // namespace phasebit::test
