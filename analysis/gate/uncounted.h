// Synchronisation in a timed window that no rule counts.
#pragma once

#include "analysis/flow/census.h"

#include <string>
#include <string_view>
#include <vector>

namespace phasebit::gate {

// What is on any path of a window and no rule of its verb counts there, in words: opcodes of
// core/rule/synchronisation.toml, calls that were not looked into, and loads in loops that wait for
// what they read. Empty where the spec is not exhaustive.
std::vector<std::string> find_uncounted(const rule::GateSpec& spec,
                                        const std::vector<flow::RoleWindow>& windows,
                                        const cubin::SassKernel& kernel,
                                        const image::SourceMap& source,
                                        const image::Census& census);

// "(hot: SYNCS.ARRIVE x1; cold: none)"
std::string both_lists(const image::VerbCensus& census);
// "consumer", "no role"
std::string_view role_name(const std::string& role);

}  // namespace phasebit::gate
