// The flow graph of a kernel as Graphviz reads it.
#pragma once

#include "analysis/cubin/instruction.h"
#include "core/base/error.h"

#include <string>
#include <vector>

namespace phasebit::reading {

// A node a block, with its addresses, how many instructions, its issue cycles and key opcodes; one
// that ends in a jump back is drawn bold. Blocks of a loop lie in a frame, and the deeper the
// darker. `shown` by instruction: blocks without such a one are left out; empty: all.
// Step::disassemble when a branch cannot be followed.
Result<std::string> flow_as_dot(const cubin::SassKernel& kernel, const std::string& title,
                                const std::vector<bool>& shown = {});

}  // namespace phasebit::reading
