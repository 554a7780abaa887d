#include "gen/context_layout.h"

#include "gen/context_numbers.h"
#include "gen/plan_protocols.h"

namespace phasebit {

using nlohmann::json;

void add_payload(json& context, const Plan& plan) {
  context["has_payload"] = plan.slot_bytes > 0;
  context["slot_bytes"] = std::to_string(plan.slot_bytes);
  context["slot_words"] = std::to_string(plan.slot_bytes / 4);
  context["payload_period"] = std::to_string(copied_payload_period);
  context["payload_offset"] = std::to_string(plan.payload_offset);
  context["item_step"] = hex(payload_item_step);
  context["fold_multiplier"] = hex(payload_fold_multiplier);
  context["fill_bytes"] = std::to_string(4 * plan.producer.vector_words);
  context["fill_words_wide"] = std::to_string(plan.producer.vector_words);
  context["fill_wide"] = plan.producer.vector_words == 4;
  context["drain_bytes"] = std::to_string(4 * plan.consumer.vector_words);
  context["drain_wide"] = plan.consumer.vector_words == 4;
}

void add_layout(json& context, const VariantKey& variant, const Plan& plan) {
  const ProtocolTraits& traits = traits_of(variant.value("protocol"));
  const Arrivals arrivals = arrivals_of(variant, plan);
  const auto number = [&](const char* name, int value) { context[name] = std::to_string(value); };
  number("threads", plan.launch.threads);
  number("warps", plan.launch.warps());
  number("ctas_per_sm", plan.launch.ctas_per_sm);
  number("warps_per_unit_log2", plan.warps_per_unit == 4 ? 2 : 0);
  number("last_thread_of_unit", plan.threads_per_unit - 1);
  number("producer_turns", plan.producer.turns);
  number("consumer_turns", plan.consumer.turns);
  number("stages_but_one", plan.num_stages - 1);
  number("barriers", 2 * plan.num_stages);
  number("full_arrivals", arrivals.full);
  number("empty_arrivals", arrivals.empty);
  number("last_empty_id", 2 * plan.num_stages);
  number("empty_offset", plan.empty_offset);
  number("ticket_offset", plan.ticket_offset);
  number("guard_offset", plan.guard_offset);
  number("phases_checked", plan.phases_checked);
  context["producer_warps_mask"] = hex(plan.producer.warps_mask);
  context["consumer_warps_mask"] = hex(plan.consumer.warps_mask);
  context["single_ring_slot"] = plan.num_stages == 1;
  if (plan.num_stages > 1) context["stages_reciprocal"] = reciprocal(plan.num_stages);
  context["takes_turns"] = plan.producer.turns > 1 || plan.consumer.turns > 1;
  context["several_ctas"] = plan.launch.ctas_per_sm > 1;
  context["turns_by_parity"] = plan.producer.turns > 1;
  context["uses_barrier_address"] = traits.addresses;
  number("leaver_rank", plan.consumer.threads - 32);
  number("response_offset", plan.response_offset);
  context["counts_laps"] = traits.laps;
}

}  // namespace phasebit
