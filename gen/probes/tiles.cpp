// The tensor map of a mover whose slots are tiles: an image of the payload lies behind the other in
// its outermost dimension, each as long as a slot.
#include "core/base/nearest.h"
#include "gen/probes/figures.h"
#include "gen/probes/layout.h"

#include <algorithm>

namespace phasebit::probes {

using catalogue::AxisWord;
using catalogue::TileFacts;
using image::tensor::TensorMap;

namespace {

template <typename Enum>
Status take_word(const image::VariantKey& variant, const char* key, const AxisWord& word,
                 const std::vector<std::string>& words, Enum& into) {
  const std::string text = word.axis.empty() ? word.word : variant.value(word.axis);
  const auto at = std::find(words.begin(), words.end(), text);
  if (at == words.end())
    return with_hint(fail(Step::spec, "{}: [tensor_map] {}: no '{}'", variant.id, key, text),
                     base::nearest_word_hint(text, words));
  into = static_cast<Enum>(at - words.begin());
  return {};
}

Status take_words(const image::VariantKey& variant, const TileFacts& facts, TensorMap& map) {
  namespace tensor = image::tensor;
  PHASEBIT_TRY(take_word(variant, "element", facts.element, tensor::element_words(), map.element));
  PHASEBIT_TRY(take_word(variant, "swizzle", facts.swizzle, tensor::swizzle_words(), map.swizzle));
  PHASEBIT_TRY(
      take_word(variant, "promotion", facts.promotion, tensor::promotion_words(), map.promotion));
  return take_word(variant, "fill", facts.fill, tensor::fill_out_words(), map.fill);
}

// An expression of a list, 0 behind its end; the innermost dimension is said in bytes.
Result<int> elements_of(const Figures& figures, const std::vector<catalogue::Expression>& list,
                        int dimension, const TensorMap& map) {
  if (static_cast<size_t>(dimension) >= list.size()) return 0;
  PHASEBIT_TRY_ASSIGN(number, figures.number(list[static_cast<size_t>(dimension)]));
  return dimension == 0 ? number / bytes_of(map.element) : number;
}

// Strides are those of the box: what is cut off lies in the image all the same, and must not come.
Status take_sizes(const Figures& figures, const TileFacts& facts, int rank, int copies,
                  TensorMap& map) {
  std::int64_t bytes = bytes_of(map.element);
  for (int n = 0; n < rank; ++n) {
    PHASEBIT_TRY_ASSIGN(box, elements_of(figures, facts.box, n, map));
    PHASEBIT_TRY_ASSIGN(cut, elements_of(figures, facts.cut, n, map));
    const int images = n + 1 == rank ? copies * image::copied_payload_period : 1;
    map.box.push_back(box);
    map.sizes.push_back(box * images - cut);
    bytes *= box;
    if (n + 1 < rank) map.strides.push_back(bytes);
  }
  return {};
}

}  // namespace

Status place_tiles(const image::VariantKey& variant, const Figures& figures, Plan& plan) {
  const TileFacts& facts = figures.chosen(catalogue::ComponentKind::mover).mover.tile;
  if (!facts.is_tile || plan.slot_bytes == 0) return {};
  PHASEBIT_TRY_ASSIGN(rank, figures.number(facts.rank));
  PHASEBIT_TRY_ASSIGN(said_copies, figures.number(facts.copies));
  const int copies = std::max(1, said_copies);
  if (rank < 1 || static_cast<size_t>(rank) > facts.box.size())
    return fail(Step::spec, "{}: [tensor_map] rank {}, box has {} dimensions", variant.id, rank,
                facts.box.size());
  TensorMap map;
  map.name = tile_map_name;
  map.buffer = image::payload_in_buffer;
  PHASEBIT_TRY(take_words(variant, facts, map));
  PHASEBIT_TRY(take_sizes(figures, facts, rank, copies, map));
  image::LaunchShape& launch = plan.launch;
  launch.payload.period = image::copied_payload_period;
  launch.payload.tile = {map.name, std::vector<int>(static_cast<size_t>(rank), 0), copies};
  launch.tensor_maps = {map};
  plan.payload_alignment = alignment_of(map);
  plan.producer.moves = copies;
  if (const auto wrong = complaint_about(map, launch.payload.images_bytes()))
    return with_hint(
        fail(Step::spec, "{}: tensor map: {}: {}", variant.id, wrong->key, wrong->what),
        wrong->hint);
  if (plan.slot_bytes % plan.payload_alignment != 0)
    return with_hint(fail(Step::spec, "{}: slots of {} bytes: a tile begins at a multiple of {}",
                          variant.id, plan.slot_bytes, plan.payload_alignment),
                     fmt::format("a multiple of {} as payload", plan.payload_alignment));
  const auto words = image::words_of_slot(launch);
  if (words) return {};
  return fail(Step::spec, "{}: {}", variant.id, words.error().message);
}

}  // namespace phasebit::probes
