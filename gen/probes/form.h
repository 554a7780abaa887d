// The plan of the probe `form`.
#pragma once

#include "gen/probes/plan.h"

namespace phasebit::probes {

Status lay_out_form(const image::VariantKey& variant, Plan& plan);
Status finish_form(const image::VariantKey& variant, Plan& plan);

}  // namespace phasebit::probes
