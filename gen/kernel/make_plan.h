// From a variant to its plan.
#pragma once

#include "gen/kernel/plan.h"

namespace phasebit::kernel {

// The facts of the variant's components come from the catalogue. Step::spec when the axes do not go
// together in a way that no pruning rule has caught.
Result<Plan> make_plan(const space::Catalogue& catalogue, const launch::VariantKey& variant);

}  // namespace phasebit::kernel
