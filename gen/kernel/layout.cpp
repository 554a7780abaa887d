#include "gen/kernel/layout.h"

#include <algorithm>
#include <charconv>

namespace phasebit::kernel {

using launch::Role;
using launch::VariantKey;

namespace {

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
      launch::RoleSlice slice;
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
      launch::RoleSlice slice;
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

// A producer warp and consumer warpgroups. The producer's warpgroup comes first, as wgmma and
// setmaxnreg need whole ones; three of its warps have no role.
void add_warpgroup_slices(Plan& plan, int consumers, bool apart) {
  constexpr int warps = 4;
  launch::RoleSlice producer;
  producer.warp = apart ? 1 : 0;
  producer.role = Role::producer;
  plan.launch.slices.push_back(producer);
  plan.producer.warps_mask = 1U << producer.warp;
  plan.producer.threads = 32;
  plan.producer.warps = 1;
  for (int group = 0; group < consumers; ++group)
    for (int w = 0; w < warps; ++w) {
      const bool turns = plan.consumer.turns > 1;
      launch::RoleSlice slice;
      slice.warp = warps * (1 + group) + w;
      slice.role = Role::consumer;
      slice.unit = turns ? group : 0;
      slice.rank = 32 * ((turns ? 0 : warps * group) + w);
      plan.launch.slices.push_back(slice);
      plan.consumer.warps_mask |= 1U << slice.warp;
    }
  plan.launch.threads = 32 * warps * (1 + consumers);
  plan.launch.fixed_warps = true;
}

// `together`: idle warps set the first consumer on the sub-partition of the first producer;
// `apart`: it is on one that has no producer (axes.toml leaves out what would need a gap).
void set_sub_partitions(const std::string& word, Plan& plan) {
  constexpr int sub_partitions = 4;
  if (word != "together" && word != "apart") return;
  int first_consumer = plan.launch.warps();
  for (const launch::RoleSlice& slice : plan.launch.slices)
    if (slice.role == Role::consumer) first_consumer = std::min(first_consumer, slice.warp);
  plan.launch.gap_after = first_consumer;
  if (word == "together")
    plan.launch.gap_warps = (sub_partitions - first_consumer % sub_partitions) % sub_partitions;
}

void size_role(Plan& plan, RolePlan& role, int units, bool turns) {
  role.units = units;
  role.turns = turns ? units : 1;
  const int sharing = turns ? 1 : units;
  role.threads = sharing * plan.threads_per_unit;
  role.warps = sharing * plan.warps_per_unit;
}

}  // namespace

Result<int> whole_number(const VariantKey& variant, const std::string& axis, int fallback) {
  const std::string text = variant.value(axis);
  if (text.empty()) return fallback;
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    return fail(Step::spec, "{}: axis {}: '{}' is not a number", variant.id, axis, text);
  return value;
}

Status lay_out_warps(const VariantKey& variant, Plan& plan) {
  PHASEBIT_TRY_ASSIGN(producers, whole_number(variant, "producers", 1));
  PHASEBIT_TRY_ASSIGN(consumers, whole_number(variant, "consumers", 1));
  const std::string granularity = variant.value("granularity");
  const bool turns = variant.value("sharing") == "round_robin";
  const bool split = granularity == "even_odd_lanes";
  const bool warpgroups = granularity == "producer_warp";
  plan.warps_per_unit = granularity == "warpgroup" || warpgroups ? 4 : 1;
  plan.threads_per_unit = split ? 16 : 32 * plan.warps_per_unit;
  size_role(plan, plan.producer, producers, turns);
  size_role(plan, plan.consumer, consumers, turns);
  const int warps = split || plan.unified ? producers * plan.warps_per_unit
                                          : (producers + consumers) * plan.warps_per_unit;
  if (warps > 32) return fail(Step::spec, "{}: {} warps, a CTA has at most 32", variant.id, warps);
  if (split) {
    add_split_slices(plan, producers);
  } else if (warpgroups) {
    add_warpgroup_slices(plan, consumers, variant.value("sub_partitions") == "apart");
  } else if (plan.unified) {
    add_slices(plan, std::vector<Role>(static_cast<size_t>(producers), Role::both));
  } else {
    const bool interleaved = variant.value("placement") == "interleaved";
    add_slices(plan, deal_units(producers, consumers, interleaved));
  }
  set_sub_partitions(variant.value("sub_partitions"), plan);
  plan.launch.producer_turns = plan.producer.turns;
  plan.launch.consumer_turns = plan.consumer.turns;
  return {};
}

Status repeat_items(const VariantKey& variant, Plan& plan) {
  PHASEBIT_TRY_ASSIGN(copies, whole_number(variant, "unroll", 1));
  plan.copies = copies;
  if (copies == 1) return {};
  plan.launch.item_granule *= static_cast<std::uint32_t>(copies);
  plan.launch.min_items = std::max(plan.launch.min_items, plan.launch.item_granule);
  for (const char* role : {"producer", "consumer", "both"}) {
    plan.items_per_iteration[role] = copies;
    plan.items_beside[role] = 1;
  }
  return {};
}

}  // namespace phasebit::kernel
