#include "gen/kernel/context_layout.h"

#include "core/launch/abi.h"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

namespace phasebit::kernel {

using nlohmann::json;
using space::ComponentKind;
using space::NamedExpression;
using space::ReadBack;

void add_payload(json& context, const Plan& plan) {
  context["has_payload"] = plan.slot_bytes > 0;
  context["slot_bytes"] = std::to_string(plan.slot_bytes);
  context["cta_word_bytes"] = std::to_string(4 * plan.launch.threads);
  context["slot_words"] = std::to_string(plan.slot_bytes / 4);
  const launch::DataShape& data = plan.launch.data;
  const int images =
      plan.launch.payload.period > 0 ? plan.launch.payload.period : launch::copied_payload_period;
  context["payload_period"] =
      std::to_string(data.bytes > 0 ? data.bytes / data.tile_bytes : images);
  context["payload_offset"] = std::to_string(plan.payload_offset);
  context["item_step"] = hex(launch::payload_item_step);
  context["checksum_multiplier"] = hex(launch::payload_checksum_multiplier);
  context["fill_bytes"] = std::to_string(4 * plan.producer.vector_words);
  context["fill_words_wide"] = std::to_string(plan.producer.vector_words);
  context["fill_wide"] = plan.producer.vector_words == 4;
  context["drain_bytes"] = std::to_string(4 * plan.consumer.vector_words);
  context["drain_wide"] = plan.consumer.vector_words == 4;
  const int read_at_once = 4 * plan.consumer.vector_words * plan.consumer.threads;
  context["drain_wraps"] = plan.slot_bytes > 0 && read_at_once > plan.slot_bytes;
}

// The accumulators by 64 columns, which are rows of 128 bytes of bf16, and of these by 16: eight of
// a thread, whose columns are 32 bytes of the row.
json column_blocks(int columns) {
  constexpr int block_columns = 64, group_columns = 16, a_group = 8;
  json blocks = json::array();
  for (int first = 0; first < columns; first += block_columns) {
    json groups = json::array();
    for (int n = 0; n < block_columns / group_columns; ++n) {
      json group = {{"group_bytes", std::to_string(2 * group_columns * n)}};
      for (int of = 0; of < a_group; ++of)
        group[fmt::format("group_acc{}", of)] = fmt::format("acc{}", first / 2 + a_group * n + of);
      groups.push_back(std::move(group));
    }
    blocks.push_back({{"first_column", std::to_string(first)},
                      {"is_second_buffer", first / block_columns % 2 == 1},
                      {"stores_left", first == 0 && columns / block_columns % 2 == 1 ? "0" : "1"},
                      {"groups", std::move(groups)}});
  }
  return blocks;
}

void add_product(json& context, const Plan& plan) {
  const launch::product::ProductShape& product = plan.product;
  context["payload_is_signs"] = plan.launch.payload.product.rows > 0;
  context["accumulator_count"] = std::to_string(product.accumulators());
  json accumulators = json::array();
  std::vector<std::string> names;
  for (int n = 0; n < product.accumulators(); ++n) {
    accumulators.push_back({{"accumulator", std::to_string(n)}});
    names.push_back(fmt::format("acc{}", n));
  }
  context["accumulators"] = std::move(accumulators);
  context["accumulator_list"] = fmt::format("{}", fmt::join(names, ", "));
  context["column_blocks"] = column_blocks(product.columns);
}

namespace {

std::string in_braces(const std::vector<std::string>& items) {
  return fmt::format("{{{}}}", fmt::join(items, ", "));
}

// The same in LLVM IR: "i32 0, i32 %place, i16 1".
std::string in_ir(const launch::TilePayload& tile) {
  std::string text;
  for (std::size_t n = 0; n + 1 < tile.at.size(); ++n) text += fmt::format("i32 {}, ", tile.at[n]);
  text += "i32 %place";
  for (const int offset : tile.offsets) text += fmt::format(", i16 {}", offset);
  return text;
}

// Maps of a mover are of one geometry: those of tiles that are copied, and of those stored.
void add_tile(json& context, const launch::TilePayload& tile,
              const launch::tensor::TensorMap& map) {
  std::vector<std::string> coordinates, offsets;
  for (std::size_t n = 0; n + 1 < tile.at.size(); ++n)
    coordinates.push_back(std::to_string(tile.at[n]));
  coordinates.emplace_back("place");
  for (const int offset : tile.offsets) offsets.push_back(std::to_string(offset));
  context["tile_coordinates"] = in_braces(coordinates);
  context["tile_offsets"] = in_braces(offsets);
  context["ir_tile_place"] = in_ir(tile);
  context["tile_step"] = std::to_string(tile_step(map) * tile.copies);
  context["tile_outer"] = std::to_string(tile_step(map));
  context["tile_bytes"] = std::to_string(tile_bytes(map));
}

}  // namespace

void add_resources(json& context, const Plan& plan) {
  std::string parameters;
  if (!plan.launch.workload.empty())
    for (const launch::Buffer& buffer : plan.launch.buffers)
      parameters += fmt::format(", .param .u64 {}", buffer.name);
  if (!plan.launch.stored.buffer.empty())
    parameters = fmt::format(", .param .u64 {}", plan.launch.stored.buffer);
  for (const launch::tensor::TensorMap& map : plan.launch.tensor_maps)
    parameters += fmt::format(", .param .align 64 .b8 {}[128]", map.name);
  context["resources"] = parameters;
  context["stored_buffer"] = stored_buffer_name;
  context["tile_map"] = tile_map_name;
  context["store_map"] = store_map_name;
  for (const char* name : {"tile_step", "tile_outer", "tile_bytes"}) context[name] = "0";
  context["tile_coordinates"] = "{place}";
  context["tile_offsets"] = "{}";
  context["ir_tile_place"] = "i32 %place";
  if (!plan.launch.tensor_maps.empty())
    add_tile(context, plan.launch.payload.tile, plan.launch.tensor_maps.front());
}

void add_layout(json& context, const Plan& plan) {
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
  number("full_arrivals", plan.facts.full_arrivals);
  number("empty_arrivals", plan.facts.empty_arrivals);
  number("last_empty_id", 2 * plan.num_stages);
  number("empty_offset", plan.empty_offset);
  number("ticket_offset", plan.ticket_offset);
  number("scratch_offset", plan.scratch_offset);
  number("phases_checked", plan.phases_checked);
  context["producer_warps_mask"] = hex(plan.producer.warps_mask);
  context["consumer_warps_mask"] = hex(plan.consumer.warps_mask);
  context["single_ring_slot"] = plan.num_stages == 1;
  if (plan.num_stages > 1) context["stages_reciprocal"] = reciprocal(plan.num_stages);
  context["takes_turns"] = plan.producer.turns > 1 || plan.consumer.turns > 1;
  context["several_ctas"] = plan.launch.ctas_per_sm > 1;
  context["turns_by_parity"] = plan.producer.turns > 1;
  context["uses_barrier_address"] = plan.facts.keeps_address;
  number("leaver_rank", plan.consumer.threads - 32);
  number("extra_offset", plan.extra_offset);
  number("extra_bytes", plan.facts.extra_bytes);
  context["counts_laps"] = plan.facts.counts_laps;
}

namespace {

json read_back(ReadBack how, const std::string& address, int arrivals) {
  return {{"read_phases", how == ReadBack::phases},
          {"read_count", how == ReadBack::count},
          {"read_address", address},
          {"read_arrivals", std::to_string(arrivals)}};
}

}  // namespace

void add_read_back(json& context, const Plan& plan) {
  const PlanFacts& facts = plan.facts;
  context["reads_back"] = facts.read_words() > 0;
  context["read_full"] = read_back(facts.read_full, "address", facts.full_arrivals);
  context["read_empty"] = read_back(facts.read_empty, fmt::format("address+{}", plan.empty_offset),
                                    facts.empty_arrivals);
  context["waits_arrive"] = facts.waits_arrive;
  context["empty_in_all"] = facts.empty_in_all;
}

void add_parameter_block(json& context) {
  const auto field = [&](const char* name, size_t offset) {
    context["pb"][name] = std::to_string(offset);
  };
#define PHASEBIT_FIELD(name) field(#name, offsetof(launch::KernelParams, name))
  PHASEBIT_FIELD(version);
  PHASEBIT_FIELD(items);
  PHASEBIT_FIELD(samples);
  PHASEBIT_FIELD(status);
  PHASEBIT_FIELD(payload_in);
  PHASEBIT_FIELD(payload_out);
  PHASEBIT_FIELD(work_amount);
  PHASEBIT_FIELD(delay_cycles);
  PHASEBIT_FIELD(seed);
  PHASEBIT_FIELD(zero);
  PHASEBIT_FIELD(target_sm);
  PHASEBIT_FIELD(first_warp);
  PHASEBIT_FIELD(guard_limit_ns);
  PHASEBIT_FIELD(ticket);
  PHASEBIT_FIELD(start_offset);
  PHASEBIT_FIELD(gap_after);
  PHASEBIT_FIELD(gap_warps);
  PHASEBIT_FIELD(first_rank);
  PHASEBIT_FIELD(second_rank);
  PHASEBIT_FIELD(load_ctas);
#undef PHASEBIT_FIELD
  context["pb"]["bytes"] = std::to_string(sizeof(launch::KernelParams));
}

namespace {

using nlohmann::json;

constexpr std::array search_order = {ComponentKind::probe, ComponentKind::protocol,
                                     ComponentKind::mover, ComponentKind::work};

// A probe, a protocol, a mover and a work that meet in a kernel must not mean two things by a name.
Status check_names(const Figures& figures) {
  for (const ComponentKind kind : search_order)
    for (const ComponentKind other : search_order)
      for (const NamedExpression& a : figures.chosen(kind).names)
        for (const NamedExpression& b : figures.chosen(other).names)
          if (kind < other && a.name == b.name)
            return fail(Step::spec, "{}: '{}' is declared at {} too", a.where, a.name, b.where);
  return {};
}

std::vector<const NamedExpression*> names_of(const Figures& figures) {
  std::vector<const NamedExpression*> all;
  const auto add = [&](const space::Component& component) {
    for (const NamedExpression& name : component.names) all.push_back(&name);
  };
  add(figures.catalogue().common());
  for (auto kind = search_order.rbegin(); kind != search_order.rend(); ++kind)
    add(figures.chosen(*kind));
  return all;
}

Status add_names(json& context, const Figures& figures) {
  for (const NamedExpression* name : names_of(figures)) {
    if (!figures.knows(name->expression)) continue;
    const auto value = figures.number(name->expression);
    if (!value) return fail(Step::spec, "{}: {}", name->where, value.error().message);
    context[name->name] = name->is_flag ? json(*value != 0) : json(std::to_string(*value));
  }
  return {};
}

}  // namespace

Status add_component_names(json& context, const space::Catalogue& catalogue,
                           const launch::VariantKey& variant, const Plan& plan) {
  PHASEBIT_TRY_ASSIGN(figures, Figures::of(catalogue, variant));
  PHASEBIT_TRY(check_names(figures));
  figures.set(plan.derived());
  PHASEBIT_TRY(add_names(context, figures));
  for (const auto& [name, role] :
       {std::pair{"producer", &plan.producer}, std::pair{"consumer", &plan.consumer}}) {
    figures.set({{"own_threads", role->threads},
                 {"own_warps", role->warps},
                 {"own_lanes", 32 / role->lane_stride}});
    PHASEBIT_TRY(add_names(context[name], figures));
  }
  return {};
}

std::string hex(std::uint32_t value) {
  return fmt::format("0x{:08x}", value);
}

std::string reciprocal(int divisor) {
  const auto d = static_cast<std::uint64_t>(divisor);
  return hex(static_cast<std::uint32_t>(((1ULL << 32) + d - 1) / d));
}

}  // namespace phasebit::kernel
