// A sweep of a spec, or the forks, as a space.
#pragma once

#include "pipeline/select/space.h"

#include <string>

namespace phasebit::pipeline::select {

// A spec as it is named from the current folder, else one that came with the program:
// specs/curated.toml; "" is the project's own.
fs::path spec_file(const base::Home& home, const std::string& named);

enum class Forks { left_out, included };

// Without --id, --variants and files. Forks that are included follow their parents, where these are
// in the space. What is wrong with a fork that has no parent any more goes to standard error.
Result<Space> open_sweep(const SpaceRequest& request, Forks forks = Forks::left_out);

// The variant that a fork came from. Step::spec with the nearest variant when it is none any more.
Result<image::VariantKey> parent_of(const base::Home& home, const catalogue::Catalogue& catalogue,
                                    const fork::Fork& fork);

}  // namespace phasebit::pipeline::select
