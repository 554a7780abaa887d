// What the gate refuses that no opcode alone shows: waits in software, and what is called.
#include "analysis/disassembly/disassembler.h"
#include "analysis/flow/flow.h"
#include "analysis/flow/spins.h"
#include "tests/analysis/sass/class_images.h"
#include "tests/analysis/sass/handmade.h"
#include "tests/analysis/sass/rings.h"

#include <gtest/gtest.h>

namespace phasebit::test {
namespace {

struct SpinRow {
  const char* what;
  std::vector<std::string> lines;
  std::vector<int> spins;  // instructions
};

const std::vector<SpinRow> spin_rows = {
    {"a poll",
     {"c.drain| LDS R1,[UR6]", "c.drain| ISETP.NE.U32.AND P0,PT,R1,R2,PT", "c.drain| @P0 BRA 0x0",
      "| EXIT"},
     {0}},
    {"what is read goes through other registers",
     {"| LDS.64 R4,[UR6]", "| LOP3.LUT R6,R5,0x1,RZ,0xc0,!PT", "| R2UR UR4,R6",
      "| ISETP.NE.U32.AND P1,PT,RZ,UR4,PT", "| @!P1 BRA 0x0", "| EXIT"},
     {0}},
    {"it decides of the next turn",
     {"| MOV R1,RZ", "| ISETP.NE.U32.AND P0,PT,R1,RZ,PT", "| @P0 EXIT", "| LD.E R1,[R2.64]",
      "| BRA 0x10"},
     {3}},
    {"the same with a branch",
     {"| MOV R1,RZ", "| ISETP.NE.U32.AND P0,PT,R1,RZ,PT", "| @P0 BRA 0x50", "| LD.E R1,[R2.64]",
      "| BRA 0x10", "| EXIT"},
     {3}},
    {"by a vote over it",
     {"| LDS R1,[UR6]", "| ISETP.NE.U32.AND P0,PT,R1,R2,PT", "| VOTE.ALL P0,P0", "| @!P0 BRA 0x0",
      "| EXIT"},
     {0}},
    {"by a carry out of a sum that nothing keeps",
     {"| LDS R1,[R3]", "| IADD3 RZ,P0,PT,R1,-0x1,RZ", "| @P0 BRA 0x0", "| EXIT"},
     {0}},
    {"by the second carry",
     {"| LDS R1,[R3]", "| IADD3 R4,P1,P2,R1,R6,R7", "| @!P2 BRA 0x0", "| EXIT"},
     {0}},
    {"by a carry that is added",
     {"| LDS R1,[R3]", "| IADD3 RZ,P0,PT,R1,-0x1,RZ", "| IADD3.X R5,PT,PT,RZ,RZ,RZ,P0,!PT",
      "| ISETP.NE.U32.AND P1,PT,R5,RZ,PT", "| @P1 BRA 0x0", "| EXIT"},
     {0}},
    {"by a bit that becomes a predicate",
     {"| LDS R10,[UR6+0x40]", "| R2P PR,R10,0x1f", "| @P4 BRA 0x0", "| EXIT"},
     {0}},
    {"by predicates that are saved and read back",
     {"| LDS R1,[R3]", "| ISETP.NE.U32.AND P0,PT,R1,R2,PT", "| P2R R5,PR,RZ,0x1",
      "| ISETP.NE.U32.AND P6,PT,R5,RZ,PT", "| @P6 BRA 0x0", "| EXIT"},
     {0}},
    {"a mask without the predicate: a count leaves the loop",
     {"| LDS R1,[R3]", "| ISETP.NE.U32.AND P0,PT,R1,R2,PT", "| P2R R5,PR,RZ,0x2",
      "| ISETP.NE.U32.AND P6,PT,R5,RZ,PT", "| @P6 BRA 0x0", "| EXIT"},
     {}},
    {"by the last word of ldmatrix, and of a load of 256 bits",
     {"| LDSM.16.M88.4 R8,[R3]", "| ISETP.NE.U32.AND P0,PT,R11,R2,PT", "| @P0 BRA 0x0",
      "| LDG.E.ENL2.256 R24,R28,desc[UR4][R2.64]", "| ISETP.NE.U32.AND P0,PT,R31,R2,PT",
      "| @P0 BRA 0x30", "| EXIT"},
     {0, 3}},
    {"a loop over data, left by a count; the register serves twice",
     {"| LDS R1,[R3]", "| IMAD R7,R7,R8,R1", "| IADD3 R1,R3,0x4,RZ", "| MOV R3,R1",
      "| ISETP.NE.U32.AND P0,PT,R1,R2,PT", "| @P0 BRA 0x0", "| EXIT"},
     {}},
    {"an atomic's own answer",
     {"| LDS R1,[R3]", "| IADD3 R2,R1,0x1,RZ", "| ATOMS.CAST.SPIN P0,[R3],R1,R2", "| @!P0 BRA 0x0",
      "| EXIT"},
     {}},
    {"no loop",
     {"| LDS R1,[R3]", "| ISETP.NE.U32.AND P0,PT,R1,R2,PT", "| @P0 BRA 0x30", "| EXIT"},
     {}},
};

TEST(Spins, AreLoadsThatDecideWhetherTheirLoopIsLeft) {
  for (const SpinRow& row : spin_rows) {
    const Handmade code = handmade(row.lines);
    const std::vector<bool> spins = flow::find_spins(code.kernel);
    std::vector<int> found;
    for (std::size_t i = 0; i < spins.size(); ++i)
      if (spins[i]) found.push_back(static_cast<int>(i));
    EXPECT_EQ(found, row.spins) << row.what;
  }
}

std::string refusal(const RingVerbs& verbs, const std::string& target, const std::string& family,
                    const std::vector<isa::VerbRule>& rules = {}) {
  const Script kernel = ring(verbs);
  isa::GateSpec spec = spec_of(rules);
  spec.forbid_everywhere.clear();
  spec.exhaustive_for = family;
  const auto cubin = assemble({kernel}, target, true, version_for(target));
  const auto disassembler = disassembly::Disassembler::open(find_tools()->nvdisasm);
  if (!cubin) return cubin.error().text();
  const auto outputs =
      gate_module(*disassembler, *cubin, {{kernel.entry, &kernel.source, spec, false}});
  return outputs && outputs->front() ? outputs->front()->result.reason : "no gate";
}

// Not even where a rule counts loads of the verb.
TEST(Spins, AreRefusedInAnyVerb) {
  PHASEBIT_NEEDS_TOOLS();
  RingVerbs verbs = barrier_ring;
  const char* compared =
      "L_s:\nld.volatile.shared.u32 tid, [base+1024];\nsetp.ne.u32 p, tid, 7;\n@p bra L_s;";
  const char* carried =
      "L_s:\nld.volatile.shared.u32 tid, [base+1024];\nadd.cc.u32 tid, tid, 0xffffffff;\n"
      "addc.u32 tid, 0, 0;\nsetp.eq.u32 p, tid, 0;\n@p bra L_s;";
  const std::vector<isa::VerbRule> rules = {
      {"work", "", {{"LDS*", {0, 9}, isa::Path::hot}, {"LDS*", {0, 9}, isa::Path::cold}}, {}}};
  for (const auto& [target, family] : {std::pair("sm_80", "ampere"), std::pair("sm_90a", "hopper")})
    for (const char* work : {compared, carried}) {
      verbs.work = work;
      const std::string reason = refusal(verbs, target, family, rules);
      EXPECT_NE(reason.find("work (consumer): no rule counts LDS x1 in a loop that waits"),
                std::string::npos)
          << target << ": " << reason;
    }
  verbs.work = "ld.volatile.shared.u32 tid, [base+1024];\nst.shared.u32 [base+2048], tid;";
  EXPECT_EQ(refusal(verbs, "sm_90a", "hopper", rules).find("LDS"), std::string::npos);
}

// A helper of ptxas's by name, one that synchronises, and a user's function.
TEST(Calls, OfPtxasItselfArePlainWhereTheirCodeIs) {
  Handmade code = handmade({"| CALL.REL.NOINC $__internal_0_$__cuda_sm70_warpsync",
                            "| CALL.REL.NOINC $k$__cuda_sm70_other", "| CALL.REL.NOINC f",
                            "| CALL.REL.NOINC R4,k", "| CALL.REL.NOINC 0x50",
                            "| CALL.REL.NOINC $__internal_1_$__cuda_sm70_nowhere", "| EXIT",
                            "| WARPSYNC R0", "| RET.REL.NODEC R2,k", "| BAR.SYNC 0x0",
                            "| RET.REL.NODEC R2,k", "| RET.REL.NODEC R2,k"});
  code.kernel.functions = {{"$__internal_0_$__cuda_sm70_warpsync", 7, 9},
                           {"$k$__cuda_sm70_other", 9, 11},
                           {"f", 11, 12}};
  const std::vector<bool> plain = flow::find_plain_calls(code.kernel);
  EXPECT_TRUE(plain[0]);
  for (std::size_t i = 1; i < plain.size(); ++i) EXPECT_FALSE(plain[i]) << i;
  EXPECT_FALSE(flow::calls_function(code.kernel.instructions[4]));
}

}  // namespace
}  // namespace phasebit::test
