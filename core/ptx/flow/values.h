// Which registers depend on which within a loop: through any chain of instructions, through the
// branches that decide which of them run, and through the parameters of calls.
#pragma once

#include "core/ptx/flow/loops.h"

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace phasebit::ptx::flow {

// Registers, .param variables, and bytes of local memory. A call writes all that it is lent.
std::vector<PtxName> written_by(const PtxFile& file, const PtxFlow& flow, std::size_t statement);
bool writes(const PtxFile& file, const PtxFlow& flow, std::size_t statement, const PtxName& name);
std::vector<PtxName> read_by(const PtxFile& file, const PtxFlow& flow, std::size_t statement);

// Blocks of the loop that one way out of the jump reaches in the same turn and another does not.
std::set<int> decided_by(const PtxFlow& flow, const PtxLoop& loop, const PtxJump& jump);

struct PtxDependence {
  std::set<PtxName> names;  // written in the loop, dependent on a source
  std::set<int> blocks;     // that run or not by what a dependent branch decides
};

// Names that depend on what the statements for which `is_source` holds write. Those for which
// `stops` holds hand nothing on from what they read.
PtxDependence dependent_on(const PtxFile& file, const PtxFlow& flow, const PtxLoop& loop,
                           const std::function<bool(std::size_t statement)>& is_source,
                           const std::function<bool(std::size_t statement)>& stops);

// Names that hand a value from one turn to the next: read in a turn before it is sure to write
// them.
std::set<PtxName> carried_over(const PtxFile& file, const PtxFlow& flow, const PtxLoop& loop);

}  // namespace phasebit::ptx::flow
