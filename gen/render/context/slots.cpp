#include "gen/render/context/slots.h"

namespace phasebit::render::context {

using probes::Plan;
using probes::RolePlan;

using nlohmann::json;

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
  const image::tensor::TensorMap& map = plan.launch.tensor_maps.front();
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
// A copy of images is one operation, whose words nobody computes.
void add_moves(json& slot, const Plan& plan, const RolePlan& role, const std::string& r,
               int offset) {
  json moves = json::array();
  for (int m = 0; m < role.moves; ++m) {
    const int word = m * role.movers * role.vector_words;
    const int bytes = offset * plan.slot_bytes + 4 * word;
    json move = {{"address", bytes == 0 ? r + "_payload" : fmt::format("{}_payload+{}", r, bytes)}};
    move["bytes"] = std::to_string(4 * word);
    const bool copied = r == "p" && role.vector_words > 4;
    move["words"] = move["summed"] = words(copied ? 0 : role.vector_words, word);
    moves.push_back(std::move(move));
  }
  slot[r == "p" ? "stores" : "loads"] = std::move(moves);
}

namespace {

// Columns in pairs of 8: where their rows of B begin, and the accumulators of both.
json column_pairs(const image::product::ProductShape& product, int first_byte) {
  json pairs = json::array();
  for (int pair = 0; pair < product.columns / 16; ++pair) {
    const auto four = [&](int n) {
      const int first = 8 * pair + 4 * n;
      return fmt::format("acc{}, acc{}, acc{}, acc{}", first, first + 1, first + 2, first + 3);
    };
    pairs.push_back(
        {{"pair_bytes", std::to_string(first_byte + 16 * image::product::row_bytes * pair)},
         {"low_columns", four(0)},
         {"high_columns", four(1)}});
  }
  return pairs;
}

}  // namespace

// Sixteen elements of the depth are 32 bytes of a row, and a matrix descriptor counts by 16.
void add_product_steps(json& slot, const Plan& plan, int offset) {
  const image::product::ProductShape& product = plan.launch.payload.product;
  slot["steps"] = json::array();
  if (product.rows == 0) return;
  constexpr int step_bytes = 32, unit_bytes = 16;
  for (int block = 0; block < product.blocks; ++block) {
    const int a = offset * plan.slot_bytes + block * product.block_bytes();
    const int b = a + product.rows * image::product::row_bytes;
    for (int step = 0; step < image::product::row_bytes / step_bytes; ++step)
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

}  // namespace phasebit::render::context
