// The tensor map of a mover whose slots are tiles: images of the payload follow each other in its
// outermost dimension, each as long as a slot. What consumers store such slots to; and the matrices
// of a slot that a work multiplies.
#include "core/base/text.h"
#include "core/launch/product/product.h"
#include "gen/kernel/facts.h"
#include "gen/kernel/layout.h"

#include <algorithm>

namespace phasebit::kernel {

using launch::product::ProductShape;
using launch::tensor::TensorMap;
using space::AxisWord;
using space::TileFacts;

namespace {

template <typename Enum>
Status take_word(const launch::VariantKey& variant, const char* key, const AxisWord& word,
                 Enum& into) {
  const std::string text = word.axis.empty() ? word.word : variant.value(word.axis);
  const auto value = base::value_of_word<Enum>(text);
  if (!value)
    return with_hint(fail(Step::spec, "{}: {}: no '{}'", variant.id, key, text),
                     base::nearest_word_hint(text, words_of(into)));
  into = *value;
  return {};
}

Status take_words(const launch::VariantKey& variant, const TileFacts& facts, TensorMap& map) {
  PHASEBIT_TRY(take_word(variant, "element", facts.element, map.element));
  PHASEBIT_TRY(take_word(variant, "swizzle", facts.swizzle, map.swizzle));
  PHASEBIT_TRY(take_word(variant, "promotion", facts.promotion, map.promotion));
  return take_word(variant, "fill", facts.fill, map.fill);
}

// An expression of a list, 0 after its end.
Result<int> listed(const Figures& figures, const std::vector<space::Expression>& list, int n) {
  if (static_cast<size_t>(n) >= list.size()) return 0;
  return figures.number(list[static_cast<size_t>(n)]);
}

// The innermost dimension is said in bytes.
Result<int> elements_of(const Figures& figures, const std::vector<space::Expression>& list,
                        int dimension, const TensorMap& map) {
  PHASEBIT_TRY_ASSIGN(number, listed(figures, list, dimension));
  return dimension == 0 ? number / bytes_of(map.element) : number;
}

// Strides are those of the box: what is cut off lies in the image all the same, and must not come.
// Of an im2col map each tile is an image of the tensor, so its outermost box is 1.
Status take_sizes(const Figures& figures, const TileFacts& facts, int rank, int copies,
                  TensorMap& map) {
  std::int64_t bytes = bytes_of(map.element);
  for (int n = 0; n < rank; ++n) {
    const bool outermost = n + 1 == rank;
    PHASEBIT_TRY_ASSIGN(said_box, elements_of(figures, facts.box, n, map));
    PHASEBIT_TRY_ASSIGN(cut, elements_of(figures, facts.cut, n, map));
    const int box = map.im2col && outermost ? 1 : said_box;
    if (!map.im2col) map.box.push_back(box);
    map.sizes.push_back(box * (outermost ? copies * launch::copied_payload_period : 1) - cut);
    bytes *= box;
    if (!outermost) map.strides.push_back(bytes);
  }
  return {};
}

// Corners, and the pixels between them: all that a filter comes to at one offset.
Status take_pixels(const Figures& figures, const TileFacts& facts, int rank, TensorMap& map,
                   launch::TilePayload& tile) {
  if (!map.im2col) return {};
  map.im2col->channels = static_cast<int>(map.sizes.front());
  map.im2col->pixels = 1;
  for (int n = 0; n + 2 < rank; ++n) {
    PHASEBIT_TRY_ASSIGN(lower, listed(figures, facts.lower, n));
    PHASEBIT_TRY_ASSIGN(upper, listed(figures, facts.upper, n));
    PHASEBIT_TRY_ASSIGN(offset, listed(figures, facts.offsets, n));
    const auto size = static_cast<int>(map.sizes[static_cast<size_t>(n) + 1]);
    map.im2col->lower.push_back(lower);
    map.im2col->upper.push_back(upper);
    map.im2col->pixels *= size + upper - lower;
    tile.at[static_cast<size_t>(n) + 1] = lower;
    tile.offsets.push_back(offset);
  }
  return {};
}

// Eight rows are a pattern of the swizzle, which goes by the address.
constexpr int pattern_bytes = 1024;

Status check_slot(const launch::VariantKey& variant, const ProductShape& product, int slot_bytes) {
  // Which threads read it, and how many images there are, is decided later, by the same numbers.
  const launch::product::Slot slot{slot_bytes / 4, 2 * product.rows, 1};
  const std::string why = launch::product::why_unknown(product, slot);
  if (why.empty()) return {};
  return with_hint(fail(Step::spec, "{}: [product] {}", variant.id, why),
                   fmt::format("payload_bytes={}", product.slot_bytes() / product.blocks));
}

}  // namespace

Status check_tiles(const launch::VariantKey& variant, const launch::LaunchShape& launch) {
  for (const TensorMap& map : launch.tensor_maps)
    if (const auto wrong = complaint_about(map, launch::buffer_bytes(launch, map.buffer)))
      return with_hint(
          fail(Step::spec, "{}: tensor map: {}: {}", variant.id, wrong->key, wrong->what),
          wrong->hint);
  const auto words = launch::words_of_slot(launch);
  if (words) return {};
  return fail(Step::spec, "{}: {}", variant.id, words.error().message);
}

Status place_tiles(const launch::VariantKey& variant, const Figures& figures, Plan& plan) {
  const TileFacts& facts = figures.chosen(space::ComponentKind::mover).mover.tile;
  if (!facts.is_tile || plan.slot_bytes == 0) return {};
  PHASEBIT_TRY_ASSIGN(rank, figures.number(facts.rank));
  PHASEBIT_TRY_ASSIGN(said_copies, figures.number(facts.copies));
  const int copies = std::max(1, said_copies);
  if (rank < 1 || static_cast<size_t>(rank) > facts.box.size())
    return fail(Step::spec, "{}: [tensor_map] rank {}, box has {} dimensions", variant.id, rank,
                facts.box.size());
  TensorMap map;
  map.name = tile_map_name;
  map.buffer = launch::payload_in_buffer;
  PHASEBIT_TRY(take_words(variant, facts, map));
  PHASEBIT_TRY_ASSIGN(im2col, figures.holds(facts.im2col));
  if (im2col) map.im2col.emplace();
  PHASEBIT_TRY(take_sizes(figures, facts, rank, copies, map));
  launch::LaunchShape& launch = plan.launch;
  launch.payload.period = launch::copied_payload_period;
  launch.payload.tile = {map.name, std::vector<int>(static_cast<size_t>(rank), 0), copies, {}};
  PHASEBIT_TRY(take_pixels(figures, facts, rank, map, launch.payload.tile));
  launch.tensor_maps = {map};
  plan.payload_alignment = std::max(plan.payload_alignment, alignment_of(map));
  plan.producer.moves = copies;
  if (plan.slot_bytes % plan.payload_alignment != 0)
    return with_hint(fail(Step::spec, "{}: slots of {} bytes: a tile begins at a multiple of {}",
                          variant.id, plan.slot_bytes, plan.payload_alignment),
                     fmt::format("a multiple of {} as payload", plan.payload_alignment));
  return check_tiles(variant, launch);
}

Status place_stored(const launch::VariantKey& variant, const Figures& figures, Plan& plan) {
  namespace stores = launch::stores;
  const space::StoreFacts& facts = figures.chosen(space::ComponentKind::mover).mover.stored;
  if (!facts.stores || plan.slot_bytes == 0) return {};
  launch::LaunchShape& launch = plan.launch;
  stores::StoreShape& stored = launch.stored;
  stored.buffer = stored_buffer_name;
  PHASEBIT_TRY(take_word(variant, "operation", facts.operation, stored.operation));
  PHASEBIT_TRY(take_word(variant, "rewrite", facts.rewrite, stored.rewrite));
  const auto bytes = static_cast<std::uint64_t>(launch.payload.images_bytes());
  // 1.0, and a number that half of all words are below as they are above.
  constexpr std::uint32_t there_before = 0x3f800000;
  launch.buffers.push_back({stored.buffer, bytes, {launch::BufferFill::Kind::word, there_before}});
  PHASEBIT_TRY_ASSIGN(by_map, figures.holds(facts.by_map));
  if (by_map && !launch.tensor_maps.empty()) {
    TensorMap map = launch.tensor_maps.front();
    map.name = stored.map = store_map_name;
    map.buffer = stored.buffer;
    launch.tensor_maps.push_back(std::move(map));
  }
  const auto known = launch::expected_stored(launch, 0, 0);
  if (known) return {};
  return fail(Step::spec, "{}: {}", variant.id, known.error().message);
}

Status place_product(const launch::VariantKey& variant, const Figures& figures, Plan& plan) {
  const space::ProductFacts& facts = figures.chosen(space::ComponentKind::work).work.product;
  if (!facts.multiplies) return {};
  PHASEBIT_TRY_ASSIGN(rows, figures.number(facts.rows));
  PHASEBIT_TRY_ASSIGN(columns, figures.number(facts.columns));
  PHASEBIT_TRY_ASSIGN(blocks, figures.number(facts.blocks));
  PHASEBIT_TRY_ASSIGN(depth, figures.number(facts.depth));
  const ProductShape product{rows, columns, std::max(1, blocks),
                             depth > 0 ? depth : launch::product::most_depth};
  PHASEBIT_TRY(check_slot(variant, product, plan.slot_bytes));
  plan.product = plan.launch.payload.product = product;
  plan.payload_alignment = std::max(plan.payload_alignment, pattern_bytes);
  // Sums of ones stay exact in 24 bits.
  constexpr int exact = 1 << 24;
  const int most = exact / (product.depth * product.blocks);
  plan.launch.max_items = plan.launch.max_items > 0 ? std::min(plan.launch.max_items, most) : most;
  return {};
}

}  // namespace phasebit::kernel
