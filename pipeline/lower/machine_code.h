// The SASS of one small kernel.
#pragma once

#include "core/base/error.h"
#include "gen/ptxas/toolchain.h"

#include <string>

namespace phasebit::pipeline::lower {

// The opcodes of the one kernel of `ptx` for `target`, in their order and without those that begin
// and end every kernel: "SYNCS.ARRIVE.TRANS64.A1T0 BRA". Step::assemble with ptxas' words.
Result<std::string> opcodes_of(const ptxas::Toolchain& toolchain, const std::string& ptx,
                               const std::string& target);

}  // namespace phasebit::pipeline::lower
