#include "gen/probes/cluster.h"

#include "gen/probes/layout.h"

namespace phasebit {

Status finish_cluster(const VariantKey& variant, Plan& plan) {
  PHASEBIT_TRY_ASSIGN(size, whole_number(variant, "cluster_size", 2));
  PHASEBIT_TRY_ASSIGN(first, whole_number(variant, "first_rank", 0));
  PHASEBIT_TRY_ASSIGN(second, whole_number(variant, "second_rank", 1));
  if (first >= size || second >= size)
    return fail(Step::spec, "{}: ranks {} and {} of a cluster of {}", variant.id, first, second,
                size);
  LaunchShape& launch = plan.launch;
  launch.cluster_size = size;
  launch.first_rank = first;
  launch.second_rank = second;
  for (RoleSlice& slice : launch.slices) {
    if (slice.role == Role::producer) slice.rank_in_cluster = first;
    if (slice.role == Role::consumer) slice.rank_in_cluster = second;
  }
  // The first CTA's record speaks for the cluster (templates/probes/cluster/record.ptx).
  plan.phases_checked = size * plan.facts.read_words() * plan.num_stages;
  launch.timed_role = plan.unified ? Role::both : Role::producer;
  const bool round_trip = plan.num_stages == 1;
  launch.unit = plan.unified ? "cycles per barrier"
                : round_trip ? "cycles per round trip"
                             : "cycles per item";
  return repeat_items(variant, plan);
}

}  // namespace phasebit
