#include "gen/context.h"

#include <numeric>

namespace phasebit {
namespace {

using nlohmann::json;

std::string hex(std::uint32_t value) {
  return fmt::format("0x{:08x}", value);
}

// ceil(2^32 / divisor) for divisor >= 2: mul.hi with it divides exactly where dividend * divisor is
// below 2^32. ptxas would make a division of twenty instructions.
std::string reciprocal(int divisor) {
  const auto d = static_cast<std::uint64_t>(divisor);
  return hex(static_cast<std::uint32_t>(((1ULL << 32) + d - 1) / d));
}

int arrivals_of(const RolePlan& role, const std::string& arrival) {
  if (arrival == "warp") return role.warps;
  if (arrival == "elected") return 1;
  return role.threads;  // every thread, or one arrival that counts for all
}

// Addresses of the slot that is `offset` slots up from the role's slot register.
json slot_names(const Plan& plan, const std::string& r, const std::string& parity, int offset) {
  const auto address = [](const std::string& base, int bytes) {
    return bytes == 0 ? base : fmt::format("{}+{}", base, bytes);
  };
  const std::string full = address(r + "_barrier", 8 * offset);
  const std::string empty = address(r + "_barrier", plan.empty_offset + 8 * offset);
  json slot = {{"slot_register", r + "_slot"},
               {"slot_offset", std::to_string(offset)},
               {"full_barrier", full},
               {"empty_barrier", empty},
               {"payload", address(r + "_payload", offset * plan.slot_bytes)}};
  slot["on_full"] = {{"barrier", full}, {"barrier_kind", "0"}, {"reported_parity", parity}};
  slot["on_empty"] = {{"barrier", empty}, {"barrier_kind", "1"}, {"reported_parity", parity}};
  return slot;
}

json words(int count, int first) {
  json list = json::array();
  for (int i = 0; i < count; ++i)
    list.push_back({{"index", std::to_string(i)}, {"offset", std::to_string(first + i)}});
  return list;
}

// The loads and stores of one thread for one slot: thread r of T moves words (m * T + r) * V + v.
void add_moves(json& slot, const Plan& plan, const RolePlan& role, const std::string& r,
               int offset) {
  json moves = json::array();
  for (int m = 0; m < role.moves; ++m) {
    const int word = m * role.threads * role.vector_words;
    const int bytes = offset * plan.slot_bytes + 4 * word;
    json move = {{"address", bytes == 0 ? r + "_payload" : fmt::format("{}_payload+{}", r, bytes)}};
    move["words"] = move["folded"] = words(role.vector_words, word);
    moves.push_back(std::move(move));
  }
  slot[r == "p" ? "stores" : "loads"] = std::move(moves);
}

void add_look_ahead(json& slot, const Plan& plan, const RolePlan& role, int ahead, int position) {
  const int items_ahead = ahead * role.turns;
  const int slots_ahead = items_ahead % plan.num_stages;
  const int from = position * role.turns;
  slot["ahead_items"] = std::to_string((plan.unrolled ? from : 0) + items_ahead);
  slot["ahead_slots"] = std::to_string(slots_ahead);
  slot["ahead_odd_laps"] = items_ahead / plan.num_stages % 2 == 1;
  const int target = from + items_ahead;
  slot["ahead_offset"] = std::to_string(8 * (target % plan.num_stages));
  slot["ahead_lap"] = std::to_string(target / plan.num_stages % 2);
}

json make_slots(const Plan& plan, const RolePlan& role, const std::string& r, int ahead) {
  const int count = plan.unrolled ? plan.num_stages / role.turns : 1;
  json slots = json::array();
  for (int position = 0; position < count; ++position) {
    const int offset = position * role.turns;
    json slot = slot_names(plan, r, r + "_parity", offset);
    add_moves(slot, plan, role, r, offset);
    add_look_ahead(slot, plan, role, ahead, position);
    slots.push_back(std::move(slot));
  }
  return slots;
}

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
  if (counted) context["arrival_count"] = std::to_string(elected ? role.threads : lanes);
  const std::uint32_t all = role.lane_stride == 2 ? 0x55555555U << role.first_lane : 0xffffffffU;
  context["lane_mask"] = hex(all);
}

// Objects for the rendezvous of the guarded build.
json rendezvous(const std::string& id, int threads, int kind, bool synchronises) {
  return {{"barrier_id", id},
          {"barrier_threads", std::to_string(threads)},
          {"barrier_kind", std::to_string(kind)},
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
  context["single_stage"] = plan.num_stages == 1;
  context["value_step"] = hex(payload_item_step * static_cast<std::uint32_t>(role.turns));
}

json role_context(const VariantKey& variant, const Plan& plan, const std::string& r) {
  const RolePlan& role = r == "p" ? plan.producer : plan.consumer;
  const std::string name = r == "p" ? "producer" : "consumer";
  const std::string ahead_text = variant.value("ahead");
  const int ahead = ahead_text.empty() ? 0 : std::stoi(ahead_text);
  const std::string work_role = variant.value("work_role");
  json context = slot_names(plan, r, r + "_parity", 0);
  context["r"] = r;
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
  return context;
}

void add_payload(json& context, const Plan& plan) {
  context["has_payload"] = plan.slot_bytes > 0;
  context["slot_bytes"] = std::to_string(plan.slot_bytes);
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
  const std::string arrival = variant.value("arrival");
  const bool by_state = variant.value("operand") == "state";
  const int full = arrivals_of(plan.producer, arrival) + (by_state ? plan.consumer.threads : 0);
  const int empty = arrivals_of(plan.consumer, arrival) + (by_state ? plan.producer.threads : 0);
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
  number("full_arrivals", full);
  number("empty_arrivals", empty);
  number("last_empty_id", 2 * plan.num_stages);
  number("empty_offset", plan.empty_offset);
  number("ticket_offset", plan.ticket_offset);
  number("guard_offset", plan.guard_offset);
  number("phases_checked", variant.value("protocol") == "mbarrier" ? 2 * plan.num_stages : 0);
  context["producer_warps_mask"] = hex(plan.producer.warps_mask);
  context["consumer_warps_mask"] = hex(plan.consumer.warps_mask);
  context["single_ring_slot"] = plan.num_stages == 1;
  if (plan.num_stages > 1) context["stages_reciprocal"] = reciprocal(plan.num_stages);
  context["takes_turns"] = plan.producer.turns > 1 || plan.consumer.turns > 1;
  context["several_ctas"] = plan.launch.ctas_per_sm > 1;
  context["turns_by_parity"] = plan.producer.turns > 1;
  context["uses_barrier_address"] = variant.value("protocol") == "mbarrier";
}

}  // namespace

json make_context(const VariantKey& variant, const Plan& plan, Build build,
                  const std::string& entry) {
  json context = {{"entry", entry}, {"role", ""}};
  context["timed"] = build == Build::timed;
  context["guarded"] = build == Build::guarded;
  for (const auto& [axis, value] : variant.axes) {
    context[axis] = value;
    context["is"][axis] = {{value, true}};
  }
  add_layout(context, variant, plan);
  add_payload(context, plan);
  context["producer"] = role_context(variant, plan, "p");
  context["consumer"] = role_context(variant, plan, "c");
  context["both"] = {{"role", "both"}, {"item", "c_item"}};
  context["rest"] = {{"rest_of_ring", true}};
  return context;
}

}  // namespace phasebit
