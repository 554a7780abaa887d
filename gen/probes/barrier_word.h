// The plan of probe `word`: one thread of one warp, one barrier, no waiting.
#pragma once

#include "gen/probes/plan.h"

namespace phasebit::probes {

Status lay_out_barrier_word(const image::VariantKey& variant, Plan& plan);
Status finish_barrier_word(const image::VariantKey& variant, Plan& plan);

}  // namespace phasebit::probes
