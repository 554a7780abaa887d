// What a guarded wait does where it ends.
#pragma once

#include "core/ptx/flow/flow.h"
#include "core/ptx/flow/loops.h"

#include <string>
#include <vector>

namespace phasebit::guard {

struct WaitEnd {
  std::vector<std::string> before, after;  // the statement that leaves the loop
};

// Leaving is progress of the grid, and the next wait begins anew: `since` is the register that
// holds since when this one lasts. Only where the loop is left: of brx.idx by the indices that lead
// out of it.
WaitEnd end_of_wait(const ptx::PtxFile& file, const ptx::flow::PtxLoop& loop,
                    const ptx::flow::PtxJump& exit, const std::string& since);

}  // namespace phasebit::guard
