// Loops that leave by ordinary loads at places that change, and come back to them.
#pragma once

#include "core/ptx/flow/proof.h"
#include "gen/guard/call_summary.h"

#include <optional>
#include <set>
#include <vector>

namespace phasebit::guard {

// The first load of a loop that leaves by nothing else than what it loads in that turn, where
// nothing in the loop writes there, and each turn looks at the same places again or at places that
// come round: a table of flags. No search, whose place goes on, and no walk, whose place is loaded.
std::optional<std::size_t> round_load(const ptx::PtxFile& file, const ptx::flow::PtxFlow& flow,
                                      const ptx::flow::PtxLoop& loop,
                                      const ptx::flow::PtxLoopNames& names, const Sources& sources,
                                      const ptx::flow::PtxSteady& steady,
                                      const std::vector<ptx::flow::PtxJump>& exits);

}  // namespace phasebit::guard
