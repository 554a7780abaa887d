// From a variant to its plan.
#pragma once

#include "gen/probes/plan.h"

namespace phasebit::probes {

// The facts of the variant's components come from the catalogue. Step::spec when the axes do not go
// together in a way that no pruning rule has caught.
Result<Plan> make_plan(const catalogue::Catalogue& catalogue, const image::VariantKey& variant);

}  // namespace phasebit::probes
