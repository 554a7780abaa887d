// The flow graph of one kernel.
#pragma once

#include "analysis/cubin/instruction.h"
#include "core/base/error.h"
#include "core/graph/graph.h"
#include "core/isa/opcodes.h"

#include <cstddef>
#include <string_view>
#include <vector>

namespace phasebit::flow {

struct BasicBlock {
  int begin = 0, end = 0;  // instructions [begin, end)
  std::vector<int> successors, predecessors;
};

struct FlowGraph {
  std::vector<BasicBlock> blocks;  // in the order of the code; block 0 is the entry
  std::vector<int> block_of;       // by instruction
};

// The opcode up to its first modifier: "BRA" of "BRA.U.ANY".
std::string_view opcode_stem(const cubin::Instruction& instruction);

// Whether it has one of these facts (core/isa/sass_opcodes.toml).
template <class... Facts>
bool is(const cubin::Instruction& instruction, Facts... facts) {
  return isa::sass_opcode(instruction.opcode).facts.has(facts...);
}

// Predicates 0 to 6 that the operand PR or UPR stands for, by the mask that the operands of P2R,
// R2P and UP2UR end with; all seven where a register holds the mask. Empty without such an operand.
std::vector<int> masked_predicates(std::string_view operands);

// Ends the kernel or leaves it, whatever its predicates: EXIT, RET, KILL.
bool leaves_kernel(const cubin::Instruction& instruction);

// ptxas leaves a loop by CALL.REL.NOINC now and then (seen on sm_80): a CALL of an address in the
// kernel itself, where a function would have a name.
bool jumps_by_call(const cubin::Instruction& instruction);

// Whether control may pass on to the next instruction.
bool falls_through(const cubin::Instruction& instruction);

// `cuts` are instructions that become blocks of their own. A called function is not entered: CALL
// passes on to the next instruction, and to its target where that is not a function. BSYNC goes to
// where a BSSY of the same barrier register that reaches it points; BRX and BRXU to what the
// cubin's table names (SassKernel::indirect). Step::disassemble when a branch cannot be followed: a
// target outside the kernel, an indirect branch without a table.
Result<FlowGraph> build_flow_graph(const cubin::SassKernel& kernel,
                                   const std::vector<int>& cuts = {});

using graph::index_of;

// What the code of a kernel calls, and what is known of that.

// Whether an instruction calls a function. A jump that is written as CALL does not.
bool calls_function(const cubin::Instruction& instruction);

// The function that a call names: "f" of "CALL.ABS.NOINC f"; what is there where it goes by a
// register.
std::string_view callee_of(const cubin::Instruction& call);

// The function of that name in the kernel's own section, or null.
const cubin::FunctionCode* find_function(const cubin::SassKernel& kernel, std::string_view name);

// By instruction: calls that say nothing of synchronisation, since they are of functions that ptxas
// brings along ("$__internal_0_$__cuda_sm70_warpsync", by which it joins the lanes of a warp before
// Hopper) and whose code, looked into, holds none. All other calls have to be counted by a rule.
std::vector<bool> find_plain_calls(const cubin::SassKernel& kernel);

}  // namespace phasebit::flow
