#include "gen/plan.h"

#include <charconv>

namespace phasebit {
namespace {

Result<int> integer(const VariantKey& variant, const std::string& axis, int fallback) {
  const std::string text = variant.value(axis);
  if (text.empty()) return fallback;
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    return fail(Step::spec, "{}: axis {}: '{}' is not a number", variant.id, axis, text);
  return value;
}

int round_up(int value, int to) {
  return (value + to - 1) / to * to;
}

// The role of every unit in warp order. Interleaved: always the role that lags behind its share.
std::vector<Role> deal_units(int producers, int consumers, bool interleaved) {
  std::vector<Role> dealt;
  int p = 0, c = 0;
  while (p < producers || c < consumers) {
    const bool producer_lags = p * consumers <= c * producers;
    const bool take =
        interleaved ? (p < producers && (producer_lags || c == consumers)) : p < producers;
    dealt.push_back(take ? Role::producer : Role::consumer);
    (take ? p : c) += 1;
  }
  return dealt;
}

void add_slices(Plan& plan, const std::vector<Role>& units) {
  int counted[4] = {0, 0, 0, 0};
  int warp = 0;
  for (const Role role : units) {
    RolePlan& own = role == Role::consumer ? plan.consumer : plan.producer;
    const int ordinal = counted[static_cast<int>(role)]++;
    for (int w = 0; w < plan.warps_per_unit; ++w, ++warp) {
      RoleSlice slice;
      slice.warp = warp;
      slice.role = role;
      slice.unit = own.turns > 1 ? ordinal : 0;
      slice.rank = 32 * ((own.turns > 1 ? 0 : ordinal * plan.warps_per_unit) + w);
      plan.launch.slices.push_back(slice);
      own.warps_mask |= 1U << warp;
      if (role == Role::both) plan.consumer.warps_mask |= 1U << warp;
    }
  }
  plan.launch.threads = 32 * warp;
}

// Thread parity: every warp holds a producer half and a consumer half.
void add_split_slices(Plan& plan, int warps) {
  for (int warp = 0; warp < warps; ++warp) {
    for (const Role role : {Role::producer, Role::consumer}) {
      RoleSlice slice;
      slice.warp = warp;
      slice.role = role;
      slice.lane_stride = 2;
      slice.first_lane = role == Role::consumer ? 1 : 0;
      slice.unit = plan.producer.turns > 1 ? warp : 0;
      slice.rank = plan.producer.turns > 1 ? 0 : 16 * warp;
      plan.launch.slices.push_back(slice);
    }
  }
  plan.producer.warps_mask = plan.consumer.warps_mask =
      warps == 32 ? 0xffffffffU : (1U << warps) - 1;
  plan.consumer.first_lane = 1;
  plan.producer.lane_stride = plan.consumer.lane_stride = 2;
  plan.launch.threads = 32 * warps;
}

void size_role(Plan& plan, RolePlan& role, int units, bool turns) {
  role.units = units;
  role.turns = turns ? units : 1;
  const int sharing = turns ? 1 : units;
  role.threads = sharing * plan.threads_per_unit;
  role.warps = sharing * plan.warps_per_unit;
}

Status place_payload(const VariantKey& variant, Plan& plan, int payload_bytes) {
  plan.slot_bytes = payload_bytes;
  for (RolePlan* role : {&plan.producer, &plan.consumer}) {
    const bool wide = payload_bytes % (16 * role->threads) == 0;
    role->vector_words = wide ? 4 : 1;
    if (payload_bytes % (4 * role->threads) != 0)
      return fail(Step::spec, "{}: payload_bytes {} cannot be split evenly over {} threads",
                  variant.id, payload_bytes, role->threads);
    role->moves = payload_bytes / (4 * role->vector_words * role->threads);
  }
  plan.launch.payload.words_per_slot = payload_bytes / 4;
  plan.launch.payload.consumer_threads = plan.consumer.threads;
  plan.launch.payload.consumer_vector_words = plan.consumer.vector_words;
  return {};
}

void place_shared_memory(Plan& plan) {
  plan.empty_offset = 8 * plan.num_stages;
  plan.ticket_offset = 16 * plan.num_stages;
  plan.guard_offset = plan.ticket_offset + 16;
  constexpr int guard_bytes = 16 * 4;
  plan.payload_offset = round_up(plan.guard_offset + guard_bytes, 128);
  plan.launch.dynamic_shared_bytes = plan.payload_offset + plan.num_stages * plan.slot_bytes;
}

Status lay_out_warps(const VariantKey& variant, Plan& plan) {
  PHASEBIT_TRY_ASSIGN(producers, integer(variant, "producers", 1));
  PHASEBIT_TRY_ASSIGN(consumers, integer(variant, "consumers", 1));
  const std::string unit = variant.value("unit");
  const bool turns = variant.value("sharing") == "turns";
  const bool split = unit == "parity";
  plan.warps_per_unit = unit == "warpgroup" ? 4 : 1;
  plan.threads_per_unit = split ? 16 : 32 * plan.warps_per_unit;
  size_role(plan, plan.producer, producers, turns);
  size_role(plan, plan.consumer, consumers, turns);
  const int warps = split || plan.unified ? producers * plan.warps_per_unit
                                          : (producers + consumers) * plan.warps_per_unit;
  if (warps > 32) return fail(Step::spec, "{}: {} warps, a CTA has at most 32", variant.id, warps);
  if (split) {
    add_split_slices(plan, producers);
  } else if (plan.unified) {
    add_slices(plan, std::vector<Role>(static_cast<size_t>(producers), Role::both));
  } else {
    const bool interleaved = variant.value("placement") == "interleaved";
    add_slices(plan, deal_units(producers, consumers, interleaved));
  }
  plan.launch.producer_turns = plan.producer.turns;
  plan.launch.consumer_turns = plan.consumer.turns;
  return {};
}

}  // namespace

Result<Plan> make_plan(const VariantKey& variant) {
  Plan plan;
  plan.unified = variant.value("roles") == "unified";
  plan.unrolled = variant.value("addressing") == "unrolled";
  PHASEBIT_TRY_ASSIGN(num_stages, integer(variant, "num_stages", 1));
  PHASEBIT_TRY_ASSIGN(ctas_per_sm, integer(variant, "ctas_per_sm", 1));
  PHASEBIT_TRY_ASSIGN(work_amount, integer(variant, "work_amount", 0));
  PHASEBIT_TRY_ASSIGN(payload_bytes, integer(variant, "payload_bytes", 0));
  plan.num_stages = num_stages;
  plan.launch.ctas_per_sm = ctas_per_sm;
  plan.launch.work_amount = static_cast<std::uint32_t>(work_amount);
  PHASEBIT_TRY(lay_out_warps(variant, plan));
  if (variant.value("mover") != "none") PHASEBIT_TRY(place_payload(variant, plan, payload_bytes));
  place_shared_memory(plan);
  const bool handoff = variant.value("probe") == "handoff";
  plan.launch.item_granule = plan.unrolled ? num_stages : 1;
  plan.launch.min_items = plan.launch.item_granule;
  plan.launch.timed_role = plan.unified ? Role::both : (handoff ? Role::producer : Role::consumer);
  plan.launch.unit = handoff ? "cycles per round trip" : "cycles per item";
  return plan;
}

std::map<std::string, int> Plan::derived() const {
  return {{"threads", launch.threads},
          {"producer_threads", producer.threads},
          {"consumer_threads", consumer.threads},
          {"producer_warps", producer.warps},
          {"consumer_warps", consumer.warps},
          {"producer_turns", producer.turns},
          {"consumer_turns", consumer.turns},
          {"producer_moves", producer.moves},
          {"consumer_moves", consumer.moves},
          {"producer_vector", producer.vector_words},
          {"consumer_vector", consumer.vector_words},
          {"consumer_words", consumer.moves * consumer.vector_words},
          {"shared_bytes", launch.dynamic_shared_bytes}};
}

std::map<std::string, int> Plan::items_per_iteration() const {
  if (!unrolled) return {};
  return {{"producer", num_stages / producer.turns}, {"consumer", num_stages / consumer.turns}};
}

}  // namespace phasebit
