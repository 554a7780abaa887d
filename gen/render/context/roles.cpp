#include "gen/render/context/roles.h"

#include "gen/render/context/numbers.h"
#include "gen/render/context/slots.h"

#include <algorithm>

namespace phasebit::render::context {

using probes::Plan;
using probes::RolePlan;

namespace {

using nlohmann::json;

void add_tokens(json& context, const std::string& r, int ahead, bool early) {
  json tokens = json::array(), shifts = json::array();
  const int count = early ? std::max(ahead, 1) : 0;
  for (int i = 0; i < count; ++i) tokens.push_back({{"token_number", std::to_string(i)}});
  for (int i = 0; i + 1 < count; ++i)
    shifts.push_back({{"to", std::to_string(i)}, {"from", std::to_string(i + 1)}});
  context["tokens"] = tokens;
  context["shifts"] = shifts;
  context["token"] = r + "_token0";
  context["last_token"] = std::to_string(std::max(count, 1) - 1);
  context["token_here"] = early && ahead == 0;
  context["token_ahead"] = early && ahead > 0;
}

// The threads that share a slot in this role.
void add_group(json& context, const Plan& plan, const RolePlan& role, int group_barrier_id) {
  context["group_barrier_id"] = std::to_string(group_barrier_id);
  context["group_threads"] = std::to_string(role.threads);
  const std::uint32_t all = role.lane_stride == 2 ? 0x55555555U << role.first_lane : 0xffffffffU;
  context["lane_mask"] = hex(all);
  context["pair_threads"] = std::to_string(plan.producer.threads + plan.consumer.threads);
}

void add_steps(json& context, const Plan& plan, const RolePlan& role) {
  const int laps = role.turns / plan.num_stages;
  context["turns"] = std::to_string(role.turns);
  context["turns_taken"] = role.turns > 1;
  context["slot_step"] = std::to_string(role.turns % plan.num_stages);
  if (role.turns > 1) context["turns_reciprocal"] = reciprocal(role.turns);
  context["odd_laps"] = laps % 2 == 1;
  context["lap_parity"] = std::to_string(laps % 2);
  context["laps_a_step"] = std::to_string(laps);
  context["passes_laps"] = laps > 0;
  context["single_stage"] = plan.num_stages == 1;
  context["value_step"] = hex(image::payload_item_step * static_cast<std::uint32_t>(role.turns));
}

// A flag counts the arrivals at a slot, lap by lap: who waits knows how many there are by then. One
// arrival a lap is a store of the lap's number, several are added.
void add_flag(json& context, const probes::PlanFacts& facts, const std::string& r) {
  const bool producer = r == "p";
  const int awaited = producer ? facts.empty_arrivals : facts.full_arrivals;
  context["awaited_arrivals"] = std::to_string(awaited);
  context["awaited_first"] = std::to_string(producer ? 0 : awaited);
  context["arrives_alone"] = (producer ? facts.full_arrivals : facts.empty_arrivals) == 1;
}

}  // namespace

json role_context(const Plan& plan, const std::string& r) {
  const bool produces = r == "p";
  const RolePlan& role = produces ? plan.producer : plan.consumer;
  const probes::PlanFacts& facts = plan.facts;
  json context = slot_names(plan, r, 0);
  context["r"] = r;
  context["lap"] = r + "_lap";
  context["first_lane"] = std::to_string(role.first_lane);
  context["role"] = plan.unified ? "both" : produces ? "producer" : "consumer";
  context["parity"] = r + "_parity";
  context["item"] = r + "_item";
  context["first_parity"] = produces ? "1" : "0";
  context["ahead_barrier"] = fmt::format(
      "{}_ahead_barrier{}", r, produces ? fmt::format("+{}", plan.empty_offset) : std::string());
  context["on_address"] = {{"barrier", "address"}};
  context["releases_behind"] = !produces && facts.releases_behind > 0;
  // The release of the slot before: its barriers are at an address of their own.
  const std::string behind = fmt::format("{}_behind+{}", r, plan.empty_offset);
  context["behind"] = {{"on_empty", {{"barrier", behind}}}, {"empty_barrier", behind}};
  context["works"] = produces ? facts.producer_works : facts.consumer_works;
  context["slots"] = make_slots(plan, role, r, facts.ahead);
  add_moves(context, plan, role, r, 0);
  add_product_steps(context, plan, 0);
  if (produces) context["tiles"] = context["slots"].front()["tiles"];
  const int consumer_groups = 1 + plan.producer.turns;
  add_tokens(context, r, facts.ahead, facts.tries_early);
  add_group(context, plan, role, produces ? 1 : consumer_groups);
  add_steps(context, plan, role);
  add_flag(context, facts, r);
  return context;
}

}  // namespace phasebit::render::context
