#include "gen/probes/probes.h"

#include "gen/probes/alone.h"
#include "gen/probes/barrier_word.h"
#include "gen/probes/cluster.h"
#include "gen/probes/form.h"
#include "gen/probes/layout.h"

#include <algorithm>
#include <array>

namespace phasebit::probes {

using image::Role;

namespace {

// The last warp of the consumers leaves after half of the items. It drops its arrivals in its last
// lap, so that lap must be a whole one.
void let_one_leave(Plan& plan) {
  std::vector<image::RoleSlice>& slices = plan.launch.slices;
  const auto last = std::find_if(slices.rbegin(), slices.rend(), [](const image::RoleSlice& slice) {
    return slice.role == Role::consumer;
  });
  last->leaves_early = true;
  plan.launch.min_items = 2 * plan.num_stages;
}

Status finish_ring(const image::VariantKey& variant, Plan& plan) {
  plan.launch.item_granule = plan.unrolled ? plan.num_stages : 1;
  plan.launch.min_items = plan.launch.item_granule;
  plan.launch.timed_role = plan.unified ? Role::both : Role::consumer;
  PHASEBIT_TRY_ASSIGN(together, whole_number(variant, "items_a_phase", 1));
  plan.launch.unit =
      together == 1 ? "cycles per item" : fmt::format("cycles per {} items", together);
  if (variant.value("early_exit") == "drop") let_one_leave(plan);
  if (plan.unrolled)
    plan.items_per_iteration = {{"producer", plan.num_stages / plan.producer.turns},
                                {"consumer", plan.num_stages / plan.consumer.turns}};
  return {};
}

Status finish_handoff(const image::VariantKey& variant, Plan& plan) {
  PHASEBIT_TRY(finish_ring(variant, plan));
  plan.launch.timed_role = Role::producer;
  plan.launch.unit = "cycles per round trip";
  return repeat_items(variant, plan);
}

// A ring in each CTA of one cluster. The first CTA's record speaks for all.
Status finish_cluster_ring(const image::VariantKey& variant, Plan& plan) {
  PHASEBIT_TRY(finish_ring(variant, plan));
  PHASEBIT_TRY_ASSIGN(size, whole_number(variant, "cluster_size", 2));
  plan.launch.cluster_size = size;
  return {};
}

constexpr std::array planners = {
    ProbePlanner{"ring", lay_out_warps, finish_ring},
    ProbePlanner{"handoff", lay_out_warps, finish_handoff},
    ProbePlanner{"verb", lay_out_warps, finish_verb},
    ProbePlanner{"response", lay_out_warps, finish_response},
    ProbePlanner{"interference", lay_out_interference, finish_interference},
    ProbePlanner{"fanin", lay_out_warps, finish_fanin},
    ProbePlanner{"entangle", lay_out_warps, finish_entangle},
    ProbePlanner{"cluster", lay_out_warps, finish_cluster},
    ProbePlanner{"cluster_ring", lay_out_warps, finish_cluster_ring},
    ProbePlanner{"remote", lay_out_warps, finish_remote},
    ProbePlanner{"barrier_word", lay_out_barrier_word, finish_barrier_word},
    ProbePlanner{"stream", lay_out_warps, finish_stream},
    ProbePlanner{"issue", lay_out_issue, finish_issue},
    ProbePlanner{"form", lay_out_form, finish_form},
};

}  // namespace

const ProbePlanner& planner_of(const std::string& probe) {
  const auto* known =
      std::find_if(planners.begin(), planners.end(),
                   [&](const ProbePlanner& planner) { return planner.probe == probe; });
  return known == planners.end() ? planners.front() : *known;
}

}  // namespace phasebit::probes
