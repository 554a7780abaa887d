#include "gen/context_roles.h"

#include "gen/context_numbers.h"
#include "gen/context_slots.h"
#include "gen/plan_protocols.h"

namespace phasebit {
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

// Who speaks for the others when not every thread arrives.
void add_arrival(json& context, const RolePlan& role, const std::string& arrival,
                 int group_barrier_id) {
  const bool elected = arrival == "elected" || arrival == "elected_count";
  const bool counted = arrival == "warp_count" || arrival == "elected_count";
  context["leader_register"] = elected ? "rank" : "lane";
  context["leader_value"] = std::to_string(elected ? 0 : role.first_lane);
  context["group_of_warps"] = elected && role.warps > 1;
  context["group_barrier_id"] = std::to_string(group_barrier_id);
  context["group_threads"] = std::to_string(role.threads);
  const int lanes = 32 / role.lane_stride;
  context["all_but_one"] = std::to_string(lanes - 1);
  if (counted) context["arrival_count"] = std::to_string(elected ? role.threads : lanes);
  const std::uint32_t all = role.lane_stride == 2 ? 0x55555555U << role.first_lane : 0xffffffffU;
  context["lane_mask"] = hex(all);
}

// Objects for the rendezvous of the guarded build.
json rendezvous(const std::string& id, int threads, int kind, bool synchronises) {
  return {{"barrier_id", id},
          {"barrier_threads", std::to_string(threads)},
          {"barrier_kind", std::to_string(kind)},
          {"reports_word", false},
          {"reported_parity", "0"},
          {"synchronises", synchronises}};
}

void add_rendezvous(json& context, const Plan& plan, const std::string& r) {
  const RolePlan& own = r == "p" ? plan.producer : plan.consumer;
  const int pair = plan.producer.threads + plan.consumer.threads;
  context["whole_cta"] = rendezvous("0", plan.launch.threads, 2, true);
  context["group"] = rendezvous(r + "_group", own.threads, 2, true);
  context["pair_arrives"] = rendezvous("id", pair, 0, false);
  context["pair_waits_full"] = rendezvous("id", pair, 0, true);
  context["pair_waits_empty"] = rendezvous("id", pair, 1, true);
  context["pair_threads"] = std::to_string(pair);
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
  context["value_step"] = hex(payload_item_step * static_cast<std::uint32_t>(role.turns));
}

// Bytes that a slot's arrivals announce and that the producers complete, whether anything is moved
// or not: each thread has a share.
void add_transactions(json& context, const Plan& plan, const VariantKey& variant) {
  constexpr int bytes_without_payload = 16;
  const RolePlan& producer = plan.producer;
  const int thread =
      plan.slot_bytes > 0 ? plan.slot_bytes / producer.threads : bytes_without_payload;
  const int warp = thread * (producer.threads / producer.warps);
  const std::string arrival = variant.value("arrival");
  const int announced = arrival == "thread" ? thread : arrival == "warp" ? warp : 0;
  context["announced_bytes"] =
      std::to_string(announced > 0 ? announced : thread * producer.threads);
  context["completed_bytes"] =
      std::to_string(variant.value("completion") == "thread" ? thread : warp);
}

// A flag counts the arrivals at a slot, lap by lap: who waits knows how many there are by then. One
// arrival a lap is a store of the lap's number, several are added.
void add_flag(json& context, const Arrivals& arrivals, const std::string& r) {
  const bool producer = r == "p";
  const int awaited = producer ? arrivals.empty : arrivals.full;
  context["awaited_arrivals"] = std::to_string(awaited);
  context["awaited_first"] = std::to_string(producer ? 0 : awaited);
  context["arrives_alone"] = (producer ? arrivals.full : arrivals.empty) == 1;
}

}  // namespace

json role_context(const VariantKey& variant, const Plan& plan, const std::string& r) {
  const RolePlan& role = r == "p" ? plan.producer : plan.consumer;
  const std::string name = r == "p" ? "producer" : "consumer";
  const std::string ahead_text = variant.value("ahead");
  const int ahead = ahead_text.empty() ? 0 : std::stoi(ahead_text);
  const std::string work_role = variant.value("work_role");
  json context = slot_names(plan, r, r + "_parity", 0);
  context["r"] = r;
  context["lap"] = r + "_lap";
  context["first_lane"] = std::to_string(role.first_lane);
  context["role"] = plan.unified ? "both" : name;
  context["parity"] = r + "_parity";
  context["item"] = r + "_item";
  context["wait_operand"] = r + (variant.value("operand") == "state" ? "_state" : "_parity");
  context["first_parity"] = r == "p" ? "1" : "0";
  context["ahead_barrier"] = fmt::format(
      "{}_ahead_barrier{}", r, r == "p" ? fmt::format("+{}", plan.empty_offset) : std::string());
  context["on_address"] = {{"barrier", "address"}};
  context["works"] = variant.value("work") != "none" && (work_role == name || work_role == "both");
  context["slots"] = make_slots(plan, role, r, ahead);
  const int consumer_groups = 1 + plan.producer.turns;
  add_tokens(context, r, ahead, variant.value("early_token") == "on");
  add_arrival(context, role, variant.value("arrival"), r == "p" ? 1 : consumer_groups);
  add_rendezvous(context, plan, r);
  add_steps(context, plan, role);
  add_transactions(context, plan, variant);
  add_flag(context, arrivals_of(variant, plan), r);
  return context;
}

}  // namespace phasebit
