#include "gen/probes/barrier_word.h"

#include "gen/probes/layout.h"

namespace phasebit::probes {

using image::Role;

Status lay_out_barrier_word(const image::VariantKey&, Plan& plan) {
  image::RoleSlice slice;
  slice.role = Role::consumer;
  plan.launch.slices = {slice};
  plan.launch.threads = 32;
  return {};
}

// Four operations at most: the barriers' states are those of 1, 2, 3 and 4 of them.
Status finish_barrier_word(const image::VariantKey& variant, Plan& plan) {
  PHASEBIT_TRY_ASSIGN(expected, whole_number(variant, "expected_arrivals", 0));
  image::LaunchShape& launch = plan.launch;
  launch.work_amount = static_cast<std::uint32_t>(expected);
  launch.max_items = 4;
  launch.timed_role = Role::consumer;
  launch.unit = "cycles per operation";
  launch.readings = {{"word_low", "low half of the barrier's word", Role::consumer, 0},
                     {"word_high", "high half of the barrier's word", Role::consumer, 1}};
  launch.guarded = false;
  plan.phases_checked = 0;
  return {};
}

}  // namespace phasebit::probes
