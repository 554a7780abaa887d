// Snippets of a request on their way to components.
#pragma once

#include "gen/fork/snippet.h"
#include "pipeline/select/space.h"

#include <vector>

namespace phasebit::pipeline::select {

// Those of the sweep, then those of the command line; each verb once. Their protocols are known.
Result<std::vector<fork::Snippet>> read_snippets(const SpaceRequest& request,
                                                 const catalogue::Catalogue& catalogue,
                                                 const space::Sweep* sweep);

// Each variant that takes them is followed by itself with them in it.
void add_snippets(std::vector<image::VariantKey>& variants,
                  const std::vector<fork::Snippet>& snippets);

// Lays them beside the templates of the space: from there on they are components as any other.
Status lay_snippets(Space& space, const std::vector<fork::Snippet>& snippets);

}  // namespace phasebit::pipeline::select
