// The flow graph of one kernel.
#pragma once

#include "analysis/cubin/instruction.h"
#include "core/base/error.h"

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
// passes on to the next instruction, and to its target where that is no function. BSYNC goes to
// where a BSSY of the same barrier register that reaches it points; BRX and BRXU to what the
// cubin's table names (SassKernel::indirect). Step::disassemble when a branch cannot be followed: a
// target outside the kernel, an indirect branch without a table.
Result<FlowGraph> build_flow_graph(const cubin::SassKernel& kernel,
                                   const std::vector<int>& cuts = {});

}  // namespace phasebit::flow
