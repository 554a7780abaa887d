// The plan of the probe between the CTAs of a cluster.
#pragma once

#include "gen/probes/plan.h"

namespace phasebit::probes {

// After lay_out_warps. Size and ranks of the cluster, and which CTA has which role: the producers
// are those of first_rank, the consumers those of second_rank, which may be the same; unified warps
// are in every CTA. Step::spec for a rank that the cluster does not have.
Status finish_cluster(const image::VariantKey& variant, Plan& plan);

// After lay_out_warps. Producers of `arrivers` CTAs do one thing to second_rank; those of
// first_rank alone leave a record. work_amount says how many CTAs.
Status finish_remote(const image::VariantKey& variant, Plan& plan);

}  // namespace phasebit::probes
