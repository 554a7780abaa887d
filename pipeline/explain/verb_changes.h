// Verb by verb, how the code of a turn differs.
#pragma once

#include "analysis/compare/diff.h"

#include <string>
#include <vector>

namespace phasebit::pipeline::explain {

// "producer.commit: +S2R x1, +MOV x1", what the right has more and less of on the path of a turn, a
// line for each verb that both have; then "consumer.drain LDS.128 x8: 12.5 -> 10.0 issue cycles
// until somebody waits for it", for each opcode of a verb that both have and whose mean differs by
// a cycle or more (analysis/reading/slack.h).
std::vector<std::string> verb_changes(const compare::DiffSide& left, const compare::DiffSide& right,
                                      const compare::KernelDiff& diff);

}  // namespace phasebit::pipeline::explain
