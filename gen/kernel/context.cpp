#include "gen/kernel/context.h"

#include "gen/kernel/context_layout.h"

#include <algorithm>

#include <fmt/format.h>

namespace phasebit::kernel {

using launch::VariantKey;
using nlohmann::json;

namespace {

// Copies of an item in a row. An even number of them ends in the phase that it began in, so each
// knows its parity, and none is counted.
void add_copies(json& context, const Plan& plan) {
  context["copies"] = json::array();
  context["has_copies"] = plan.copies > 1;
  context["num_copies"] = std::to_string(plan.copies);
  for (int copy = 0; copy < plan.copies; ++copy) {
    json one = json::object();
    for (const char* name : {"producer", "consumer"}) {
      one[name] = context[name];
      one[name]["one_of_copies"] = plan.copies > 1;
      if (plan.copies == 1) continue;
      const bool odd = (context[name]["first_parity"] == "1") != (copy % 2 == 1);
      one[name]["parity"] = odd ? "1" : "0";
    }
    context["copies"].push_back(std::move(one));
  }
}

}  // namespace

Result<json> make_context(const space::Catalogue& catalogue, const launch::VariantKey& variant,
                          const Plan& plan, const std::string& entry) {
  json context = {{"entry", entry}, {"role", ""}};
  context["has_readings"] = !plan.launch.readings.empty();
  for (const auto& [axis, value] : variant.axes) {
    context[axis] = value;
    context["is"][axis] = {{value, true}};
  }
  add_parameter_block(context);
  add_layout(context, plan);
  add_payload(context, plan);
  add_product(context, plan);
  add_resources(context, plan);
  add_read_back(context, plan);
  context["producer"] = role_context(plan, "p");
  context["consumer"] = role_context(plan, "c");
  context["both"] = {{"role", "both"}, {"item", "c_item"}};
  context["rest"] = {{"rest_of_ring", true}};
  add_probe_names(context, variant, plan);
  PHASEBIT_TRY(add_component_names(context, catalogue, variant, plan));
  add_copies(context, plan);
  return context;
}

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
  context["value_step"] = hex(launch::payload_item_step * static_cast<std::uint32_t>(role.turns));
}

// A flag counts the arrivals at a slot, lap by lap: a thread that waits knows how many there are by
// then. One arrival a lap is a store of the lap's number, several are added.
void add_flag(json& context, const PlanFacts& facts, const std::string& r) {
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
  const PlanFacts& facts = plan.facts;
  json context = slot_names(plan, r, 0);
  context["r"] = r;
  context["produces"] = produces;
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

json slot_names(const Plan& plan, const std::string& r, int offset) {
  const auto address = [](const std::string& base, int bytes) {
    return bytes == 0 ? base : fmt::format("{}+{}", base, bytes);
  };
  const std::string full = address(r + "_barrier", 8 * offset);
  const std::string empty = address(r + "_barrier", plan.empty_offset + 8 * offset);
  return {{"slot_register", r + "_slot"},
          {"slot_offset", std::to_string(offset)},
          {"full_barrier", full},
          {"empty_barrier", empty},
          {"on_full", {{"barrier", full}}},
          {"on_empty", {{"barrier", empty}}},
          {"barrier_bytes", std::to_string(8 * offset)},
          {"payload", address(r + "_payload", offset * plan.slot_bytes)}};
}

namespace {

json words(int count, int first) {
  json list = json::array();
  for (int i = 0; i < count; ++i)
    list.push_back({{"index", std::to_string(i)}, {"offset", std::to_string(first + i)}});
  return list;
}

// The copies of one item: tile after tile, each in its place of the slot and of the image.
void add_tiles(json& slot, const Plan& plan, const std::string& r, int offset) {
  slot["tiles"] = json::array();
  if (plan.launch.tensor_maps.empty()) return;
  const launch::tensor::TensorMap& map = plan.launch.tensor_maps.front();
  const auto bytes = static_cast<int>(tile_bytes(map));
  for (int copy = 0; copy < plan.launch.payload.tile.copies; ++copy)
    slot["tiles"].push_back(
        {{"tile_address", fmt::format("{}_payload+{}", r, offset * plan.slot_bytes + copy * bytes)},
         {"tile_bytes_up", std::to_string(copy * bytes)},
         {"tile_place", std::to_string(copy * tile_step(map))}});
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

}  // namespace

// The loads and stores of one thread for one slot: mover r of T moves words (m * T + r) * V + v.
// A copy of images is one operation, whose words are not computed.
void add_moves(json& slot, const Plan& plan, const RolePlan& role, const std::string& r,
               int offset) {
  json moves = json::array();
  for (int m = 0; m < role.moves; ++m) {
    const int word = m * role.movers * role.vector_words;
    const int bytes = offset * plan.slot_bytes + 4 * word;
    json move = {{"address", bytes == 0 ? r + "_payload" : fmt::format("{}_payload+{}", r, bytes)}};
    move["bytes"] = std::to_string(4 * word);
    if (const auto columns = static_cast<int>(plan.launch.workload.columns); columns > 0) {
      move["row"] = std::to_string(word / columns);
      move["column_bytes"] = std::to_string(word % columns * 4);
      move["in_first_row"] = word < columns;
      move["in_first_column"] = word % columns == 0;
    }
    const bool copied = r == "p" && role.vector_words > 4;
    move["words"] = move["summed"] = words(copied ? 0 : role.vector_words, word);
    moves.push_back(std::move(move));
  }
  slot[r == "p" ? "stores" : "loads"] = std::move(moves);
}

namespace {

// Columns in pairs of 8: where their rows of B begin, and the accumulators of both.
json column_pairs(const launch::product::ProductShape& product, int first_byte) {
  json pairs = json::array();
  for (int pair = 0; pair < product.columns / 16; ++pair) {
    const auto four = [&](int n) {
      const int first = 8 * pair + 4 * n;
      return fmt::format("acc{}, acc{}, acc{}, acc{}", first, first + 1, first + 2, first + 3);
    };
    pairs.push_back({{"pair_bytes", std::to_string(first_byte + 16 * product.row_bytes() * pair)},
                     {"low_columns", four(0)},
                     {"high_columns", four(1)}});
  }
  return pairs;
}

}  // namespace

// Sixteen elements of the depth are 32 bytes of a row, and a matrix descriptor counts by 16.
void add_product_steps(json& slot, const Plan& plan, int offset) {
  const launch::product::ProductShape& product = plan.product;
  slot["steps"] = json::array();
  if (product.rows == 0) return;
  constexpr int step_bytes = 32, unit_bytes = 16;
  for (int block = 0; block < product.blocks; ++block) {
    const int a = offset * plan.slot_bytes + block * product.block_bytes();
    const int b = a + product.rows * product.row_bytes();
    for (int step = 0; step < product.row_bytes() / step_bytes; ++step)
      slot["steps"].push_back({{"step_bytes", std::to_string(step * step_bytes)},
                               {"a_bytes", std::to_string(a)},
                               {"a_units", std::to_string((a + step * step_bytes) / unit_bytes)},
                               {"b_units", std::to_string((b + step * step_bytes) / unit_bytes)},
                               {"column_pairs", column_pairs(product, b)}});
  }
}

json make_slots(const Plan& plan, const RolePlan& role, const std::string& r, int ahead) {
  const int count = plan.unrolled ? plan.num_stages / role.turns : 1;
  json slots = json::array();
  for (int position = 0; position < count; ++position) {
    const int offset = position * role.turns;
    json slot = slot_names(plan, r, offset);
    add_moves(slot, plan, role, r, offset);
    add_product_steps(slot, plan, offset);
    if (r == "p") add_tiles(slot, plan, r, offset);
    add_look_ahead(slot, plan, role, ahead, position);
    slots.push_back(std::move(slot));
  }
  return slots;
}

namespace {

using nlohmann::json;

// The barriers that common/verify_phases reads back: `count` from `first` (bytes) on, and how many
// phases they have passed: a number or the register `items`.
void check_phases(json& context, space::ReadBack how, int first, int count, const char* passed) {
  const bool checked = how == space::ReadBack::phases && count > 0;
  context["checks_phases"] = checked;
  context["checked_offset"] = std::to_string(first);
  context["checked_barriers"] = std::to_string(count);
  context["checked_phase"] = passed;
  context["phases_checked"] = std::to_string(checked ? count : 0);
}

json counted(const char* name, int count) {
  json list = json::array();
  for (int i = 0; i < count; ++i) list.push_back({{name, std::to_string(i)}});
  return list;
}

void add_verb(json& context, const VariantKey& variant, const Plan& plan) {
  const std::string verb = variant.value("verb"), path = variant.value("path");
  const bool produces = plan.launch.timed_role == launch::Role::producer;
  context["producer"]["is_timed"] = produces;
  context["consumer"]["is_timed"] = !produces;
  const bool arrives = verb == "commit" || verb == "release";
  const bool completes = variant.value("reads") == "completion";
  context["arrives"] = arrives;
  context["tries"] = verb.starts_with("try_");
  context["answers"] = completes && !arrives;
  context["completes"] = completes && arrives;
  // The slots are made full beforehand by the producers, empty by the consumers.
  context["made_full"] = path == "ready" && !produces;
  context["made_empty"] = path == "ready" && produces;
  // A wait for the phase that the arrival completes begins with parity 0; so does a blocked try.
  context["from_parity_0"] = path == "blocked" || (completes && arrives);
  check_phases(context, produces ? plan.facts.read_full : plan.facts.read_empty,
               produces ? 0 : plan.empty_offset, arrives ? plan.num_stages : 0,
               path == "completing" ? "items" : "0");
}

void add_response(json& context, const VariantKey& variant, const Plan& plan) {
  context["consumer"]["counts_polls"] = variant.value("counting") == "on";
  context["clock_offset"] = std::to_string(plan.ticket_offset + 8);
  context["stamps_offset"] = std::to_string(plan.scratch_offset);
}

void add_interference(json& context, const Plan& plan) {
  context["victim"] = {{"role", "victim"}, {"item", "b_item"}};
  context["victim_warps_mask"] = fmt::format("0x{:08x}", plan.victim_warps_mask);
  context["has_waiters"] = plan.consumer.threads > 0;
  context["block_turns"] = counted("turn", 8);
  check_phases(context, plan.facts.read_full, 0, 1, "1");
}

void add_fanin(json& context, const Plan& plan) {
  // A wait may arrive itself; a barrier whose halves cannot be had apart waits as it arrives.
  context["commits"] = !plan.facts.waits_arrive;
  context["waits"] = plan.facts.can_do("split");
  check_phases(context, plan.facts.read_full, 0, 1, "items");
}

void add_entangle(json& context, const VariantKey& variant, const Plan& plan) {
  const int groups = std::stoi(variant.value("groups"));
  context["lane_groups"] = counted("group", groups);
  context["lanes_of_group"] = std::to_string(32 / groups);
  check_phases(context, plan.facts.read_full, 0, 1, "items");
}

}  // namespace

void add_probe_names(json& context, const VariantKey& variant, const Plan& plan) {
  const std::string probe = variant.value("probe");
  if (plan.full_arrivals > 0) context["full_arrivals"] = std::to_string(plan.full_arrivals);
  if (plan.empty_arrivals > 0) context["empty_arrivals"] = std::to_string(plan.empty_arrivals);
  // A kernel that can be measured under load has the code for it, loaded or not.
  context["takes_load"] = !variant.value("load").empty();
  context["counts_polls"] = false;
  if (probe == "response") add_response(context, variant, plan);
  if (probe == "verb") add_verb(context, variant, plan);
  if (probe == "interference") add_interference(context, plan);
  if (probe == "fanin") add_fanin(context, plan);
  if (probe == "entangle") add_entangle(context, variant, plan);
}

}  // namespace phasebit::kernel
