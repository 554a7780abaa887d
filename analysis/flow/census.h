// Which opcodes each verb became.
#pragma once

#include "analysis/flow/window.h"
#include "core/image/gate.h"
#include "core/isa/version.h"
#include "core/rule/rule.h"

namespace phasebit::flow {

// A wait whose first try is not peeled has its only site in the retry loop. Where a statement has
// sites that match a pattern its verb requires, none of them is hot, and fewer sites of the verb
// are hot than it requires, the basic blocks of the shallowest become hot; but where the ptxas
// moves lines and a hot site of no verb is there for it (a peeled try with the line of something
// else), that one becomes the statement's. So does one beside the loop, in a verb that the loop is
// not the only place of.
void promote_single_sites(std::vector<RoleWindow>& windows, cubin::SassKernel& kernel,
                          const image::SourceMap& source, const rule::GateSpec& spec,
                          bool moves_lines);

// Whether a ptxas gives the peeled first try of a wait another line than its retry has: 12.8 to
// 13.4 do, and each one where a wait is a poll in software, before Hopper
// (docs/decisions/assemblers.md).
bool moves_lines(const isa::Version& ptxas, const std::string& sass_family);

// Counts per iteration of the timed loop, by verb and role of the window, ordered by first
// appearance. The verb "" stands for what belongs to the probe: loop control, addresses.
image::Census take_census(const std::vector<RoleWindow>& windows, const cubin::SassKernel& kernel,
                          const image::SourceMap& source);

}  // namespace phasebit::flow
