// What memory holds behind a launch: the slots that consumers stored.
#include "core/base/error.h"
#include "core/image/launch.h"

namespace phasebit::image {

using stores::StoreOperation;
using tensor::TileWord;

namespace {

// For each word of a slot where it goes in an image; nothing where it goes nowhere.
using Places = std::vector<TileWord>;

Result<Places> places_of(const LaunchShape& shape) {
  Places places;
  const int words = shape.payload.words_per_slot;
  if (shape.stored.map.empty()) {
    for (int word = 0; word < words; ++word)
      places.push_back({false, static_cast<std::uint32_t>(word)});
    return places;
  }
  LaunchShape by_map = shape;
  by_map.payload.tile.map = shape.stored.map;
  by_map.payload.tile.offsets.clear();
  return words_of_slot(by_map);
}

// The words of a slot of image 0, before they are rewritten.
Result<std::vector<TileWord>> slot_of(const LaunchShape& shape) {
  PHASEBIT_TRY_ASSIGN(tile, words_of_slot(shape));
  if (!tile.empty()) return tile;
  std::vector<TileWord> words;
  for (int word = 0; word < shape.payload.words_per_slot; ++word)
    words.push_back(word_of_copy(shape.payload, word));
  return words;
}

// Items of an image among the first `items`.
std::uint32_t times_of(std::uint32_t items, std::uint32_t image, int period) {
  return items_of_unit(items, static_cast<int>(image), period);
}

class StoredImages {
 public:
  StoredImages(const LaunchShape& shape, std::uint32_t seed, std::vector<TileWord> slot,
               Places places)
      : shape_(shape), seed_(seed), slot_(std::move(slot)), places_(std::move(places)) {}

  void add(std::uint32_t image, std::uint32_t times, std::vector<std::uint32_t>& buffer) const {
    const auto images_first = image * static_cast<std::uint32_t>(shape_.payload.words_per_slot);
    const bool pairs = shape_.stored.operation == StoreOperation::add_u64;
    for (std::size_t n = 0; n < slot_.size(); n += pairs ? 2 : 1) {
      if (places_[n].is_fill) continue;  // outside of the tensor
      const std::size_t at = images_first + places_[n].value;
      if (pairs)
        add_pair(&buffer[at], word(n, image), word(n + 1, image), times);
      else
        buffer[at] =
            stores::stored_word(shape_.stored.operation, buffer[at], word(n, image), times);
    }
  }

 private:
  std::uint32_t word(std::size_t n, std::uint32_t image) const {
    const std::uint32_t first = slot_[n].is_fill ? 0 : seed_ + image * payload_item_step;
    return stores::rewritten(shape_.stored.rewrite, first + slot_[n].value);
  }
  static void add_pair(std::uint32_t* at, std::uint32_t low, std::uint32_t high,
                       std::uint32_t times) {
    const std::uint64_t old = std::uint64_t{at[1]} << 32 | at[0];
    const std::uint64_t sum = old + (std::uint64_t{high} << 32 | low) * times;
    at[0] = static_cast<std::uint32_t>(sum);
    at[1] = static_cast<std::uint32_t>(sum >> 32);
  }

  const LaunchShape& shape_;
  std::uint32_t seed_;
  std::vector<TileWord> slot_;
  Places places_;
};

Result<std::vector<std::uint32_t>> untouched(const LaunchShape& shape) {
  for (const Buffer& buffer : shape.buffers) {
    if (buffer.name != shape.stored.buffer) continue;
    const auto bytes = static_cast<std::uint64_t>(shape.payload.images_bytes());
    if (buffer.bytes != bytes || bytes == 0)
      return fail(Step::bundle, "slots are stored to '{}' of {} bytes, their images have {}",
                  buffer.name, buffer.bytes, bytes);
    if (buffer.fill.kind != BufferFill::Kind::word)
      return fail(Step::bundle, "slots are stored to '{}', filled with {}: one word is known",
                  buffer.name, to_string(buffer.fill));
    return std::vector<std::uint32_t>(buffer.words(), buffer.fill.word);
  }
  return fail(Step::bundle, "slots are stored to '{}', which is no buffer", shape.stored.buffer);
}

}  // namespace

Result<std::vector<std::uint32_t>> expected_stored(const LaunchShape& shape, std::uint32_t seed,
                                                   std::uint32_t items) {
  std::vector<std::uint32_t> buffer;
  if (shape.stored.buffer.empty()) return buffer;
  PHASEBIT_TRY_ASSIGN(fresh, untouched(shape));
  buffer = std::move(fresh);
  PHASEBIT_TRY_ASSIGN(slot, slot_of(shape));
  PHASEBIT_TRY_ASSIGN(places, places_of(shape));
  if (places.size() != slot.size())
    return fail(Step::bundle, "slots of {} words are stored by tiles of {}", slot.size(),
                places.size());
  if (shape.stored.operation == StoreOperation::add_u64 &&
      (!shape.stored.map.empty() || slot.size() % 2 != 0))
    return fail(Step::bundle, "add_u64 takes slots of whole pairs of words, and no tensor map");
  const StoredImages images(shape, seed, std::move(slot), std::move(places));
  const int period = shape.payload.period;
  for (std::uint32_t image = 0; image < static_cast<std::uint32_t>(period); ++image)
    if (const std::uint32_t times = times_of(items, image, period); times > 0)
      images.add(image, times, buffer);
  return buffer;
}

}  // namespace phasebit::image
