// What becomes of the clocks between their reads and the record.
#pragma once

#include "core/launch/source_map.h"
#include "core/ptx/statement.h"

#include <string>
#include <vector>

namespace phasebit::ptx::head {

// Which reads a figure is made of.
enum class FigureBy { clock, timer };

// In words: reads of %globaltimer that are not next to the clock read of their verb, and
// statements that change what the verbs clock_start and clock_end read, or count with it. Code
// without a role may copy and store it, and stores nothing else there. `statements` are those of
// `source`, in order.
std::vector<std::string> find_clock_changes(const std::vector<PtxStatement>& statements,
                                            const launch::SourceMap& source, FigureBy by);

}  // namespace phasebit::ptx::head
