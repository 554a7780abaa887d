// PTX statements that are not what the rules say of them: operands that SASS keeps in registers.
#pragma once

#include "core/isa/rule.h"
#include "core/launch/source_map.h"
#include "core/ptx/statement.h"

#include <string>
#include <vector>

namespace phasebit::ptx::head {

// In words, one a rule and role that it is broken in. `statements` are those of `source`, in order.
std::vector<std::string> find_misstated(const isa::GateSpec& spec,
                                        const std::vector<PtxStatement>& statements,
                                        const launch::SourceMap& source);

}  // namespace phasebit::ptx::head
