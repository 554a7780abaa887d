#include "gen/probes/form.h"

#include "gen/forms/form.h"

namespace phasebit::probes {

Status lay_out_form(const image::VariantKey& variant, Plan& plan) {
  PHASEBIT_TRY_ASSIGN(book, forms::FormBook::get());
  PHASEBIT_TRY_ASSIGN(launch, forms::form_launch(*book, forms::form_point(variant)));
  plan.launch = std::move(launch);
  plan.consumer.warps_mask = 1;
  return {};
}

// The operand table counts on the shared memory behind the payload's offset.
Status finish_form(const image::VariantKey& variant, Plan& plan) {
  PHASEBIT_TRY_ASSIGN(book, forms::FormBook::get());
  PHASEBIT_TRY_ASSIGN(launch, forms::form_launch(*book, forms::form_point(variant)));
  plan.launch.dynamic_shared_bytes = launch.dynamic_shared_bytes;
  return {};
}

}  // namespace phasebit::probes
