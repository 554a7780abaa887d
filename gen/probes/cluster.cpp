#include "gen/probes/cluster.h"

#include "gen/probes/facts.h"
#include "gen/probes/layout.h"

#include <algorithm>

namespace phasebit::probes {

using image::Role;

namespace {

// CTAs of the largest cluster but the one that they speak to.
constexpr int most_arrivers = 15;

}  // namespace

Status finish_cluster(const image::VariantKey& variant, Plan& plan) {
  PHASEBIT_TRY_ASSIGN(size, whole_number(variant, "cluster_size", 2));
  PHASEBIT_TRY_ASSIGN(first, whole_number(variant, "first_rank", 0));
  PHASEBIT_TRY_ASSIGN(second, whole_number(variant, "second_rank", 1));
  if (first >= size || second >= size)
    return fail(Step::spec, "{}: ranks {} and {} of a cluster of {}", variant.id, first, second,
                size);
  image::LaunchShape& launch = plan.launch;
  launch.cluster_size = size;
  launch.first_rank = first;
  launch.second_rank = second;
  for (image::RoleSlice& slice : launch.slices) {
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

Status finish_remote(const image::VariantKey& variant, Plan& plan) {
  PHASEBIT_TRY(finish_cluster(variant, plan));
  PHASEBIT_TRY_ASSIGN(arrivers, whole_number(variant, "arrivers", 1));
  image::LaunchShape& launch = plan.launch;
  std::erase_if(launch.slices,
                [](const image::RoleSlice& slice) { return slice.role != Role::producer; });
  launch.work_amount = static_cast<std::uint32_t>(arrivers);
  launch.unit = "cycles per item";
  const bool loads = variant.value("operation") == "load";
  plan.timed_verbs = {loads ? "load" : "commit"};
  plan.phases_checked = loads ? 0 : 1;
  // Behind what the protocol has: a barrier a CTA (templates/probes/remote/prepare.ptx).
  launch.dynamic_shared_bytes += 8 * most_arrivers;
  launch.max_items = most_expected / (arrivers * std::max(1, plan.facts.handed_full));
  return {};
}

}  // namespace phasebit::probes
