// The plan of the probe `form`.
#pragma once

#include "gen/probes/plan.h"

namespace phasebit {

Status lay_out_form(const VariantKey& variant, Plan& plan);
Status finish_form(const VariantKey& variant, Plan& plan);

}  // namespace phasebit
