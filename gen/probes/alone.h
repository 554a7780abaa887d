// The plans of the probes that take one verb, one answer, one victim or one mover by itself.
#pragma once

#include "gen/probes/plan.h"

namespace phasebit::probes {

// verb: `num_stages` times one verb of one warp is an item.
Status finish_verb(const image::VariantKey& variant, Plan& plan);

// response: a producer that commits late, and what its consumer reads then.
Status finish_response(const image::VariantKey& variant, Plan& plan);

// interference: victim warps on sub-partition 0 and, there or elsewhere, consumers that wait.
Status lay_out_interference(const image::VariantKey& variant, Plan& plan);
Status finish_interference(const image::VariantKey& variant, Plan& plan);

// fanin: all warps arrive and wait.
Status finish_fanin(const image::VariantKey& variant, Plan& plan);

// entangle: the lanes of one warp arrive apart.
Status finish_entangle(const image::VariantKey& variant, Plan& plan);

// stream: a grid on one SM or more that reads data.
Status finish_stream(const image::VariantKey& variant, Plan& plan);

// issue: producers that wait for their own copies.
Status lay_out_issue(const image::VariantKey& variant, Plan& plan);
Status finish_issue(const image::VariantKey& variant, Plan& plan);

}  // namespace phasebit::probes
