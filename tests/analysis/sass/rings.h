// Rings and gates that several tests use.
#pragma once

#include "analysis/disassembly/disassembler.h"
#include "analysis/gate/gate.h"
#include "tests/analysis/sass/support.h"

namespace phasebit::test {

inline const std::string try_wait_full =
    "L_w:\nmbarrier.try_wait.parity.shared.b64 p, [a], r;\n@!p bra L_w;";
inline const std::string try_wait_empty =
    "L_w:\nmbarrier.try_wait.parity.shared.b64 p, [a+64], r;\n@!p bra L_w;";
inline const std::string test_wait_full =
    "L_w:\nmbarrier.test_wait.parity.shared.b64 p, [a], r;\n@!p bra L_w;";
inline const std::string test_wait_empty =
    "L_w:\nmbarrier.test_wait.parity.shared.b64 p, [a+64], r;\n@!p bra L_w;";
inline const std::string nanosleep_full =
    "L_w:\nmbarrier.test_wait.parity.shared.b64 p, [a], r;\n@p bra L_d;\nnanosleep.u32 20;\n"
    "bra L_w;\nL_d:";
inline const std::string arrive_full = "mbarrier.arrive.shared.b64 s, [a];";
inline const std::string arrive_empty = "mbarrier.arrive.shared.b64 s, [a+64];";
inline const RingVerbs try_wait_ring = {try_wait_empty, arrive_full, try_wait_full, arrive_empty};
inline const RingVerbs barrier_ring = {"bar.sync 1, 64;", "bar.arrive 2, 64;", "bar.sync 2, 64;",
                                       "bar.arrive 1, 64;"};

inline std::string version_for(const std::string& target) {
  return target == "sm_107a" ? "9.5" : "8.7";
}

inline isa::GateSpec spec_of(std::vector<isa::VerbRule> verbs, int items_per_iteration = 1) {
  isa::GateSpec spec;
  spec.known = true;
  for (const char* role : {"producer", "consumer", "both"})
    spec.items_per_iteration[role] = items_per_iteration;
  spec.verbs = std::move(verbs);
  spec.forbid_everywhere = {"LDL*", "STL*", "CALL*"};
  return spec;
}

// Sites of a verb that match a pattern.
inline int count(const launch::Census& census, const std::string& role, const std::string& verb,
                 bool hot, const std::string& pattern) {
  int found = 0;
  for (const launch::VerbCensus& entry : census)
    if (entry.verb == verb && entry.role == role)
      for (const auto& [opcode, times] : hot ? entry.hot : entry.cold)
        if (isa::opcode_matches(pattern, opcode)) found += times;
  return found;
}

// Kernels of one module that was assembled with `.loc`: one result an input, in order.
inline Result<std::vector<Result<gate::GateOutput>>> gate_module(
    const disassembly::Disassembler& disassembler, std::string_view cubin,
    const std::vector<gate::GateInput>& inputs) {
  PHASEBIT_TRY_ASSIGN(read, cubin::read_cubin(cubin));
  PHASEBIT_TRY_ASSIGN(kernels, kernels_of(disassembler, read));
  std::vector<Result<gate::GateOutput>> outputs;
  for (const gate::GateInput& input : inputs) {
    const auto found = kernels.find(input.entry);
    outputs.push_back(found == kernels.end()
                          ? fail(Step::disassemble, "the module has no kernel {}", input.entry)
                          : Result<gate::GateOutput>(gate::gate_kernel(found->second, input)));
  }
  return outputs;
}

}  // namespace phasebit::test
