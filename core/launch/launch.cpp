#include "core/launch/launch.h"

#include "core/base/error.h"
#include "core/base/saturated.h"

#include <algorithm>

namespace phasebit::launch {

using stores::StoreOperation;
using tensor::TensorMap;
using tensor::TileWord;

namespace {

// sum q^(n-1-i) and sum i q^(n-1-i) over i = 0..n-1, together with q^n, modulo 2^32, by doubling.
struct Geometric {
  std::uint32_t power = 1, sum = 0, weighted = 0, count = 0;
};

// The sums of n_a + n_b terms from those of n_a and of n_b.
Geometric join(const Geometric& a, const Geometric& b) {
  Geometric out;
  out.count = a.count + b.count;
  out.power = a.power * b.power;
  out.sum = a.sum * b.power + b.sum;
  out.weighted = a.weighted * b.power + b.weighted + a.count * b.sum;
  return out;
}

Geometric geometric(std::uint32_t q, std::uint32_t n) {
  Geometric total, step{q, 1, 0, 1};
  for (; n != 0; n >>= 1, step = join(step, step))
    if ((n & 1) != 0) total = join(total, step);
  return total;
}

std::size_t index_of(int word) {
  return static_cast<std::size_t>(word);
}

// `words`: what words_of_slot gives.
TileWord word_of_slot(const PayloadShape& payload, const std::vector<TileWord>& words, int word) {
  return words.empty() ? word_of_copy(payload, word) : words[index_of(word)];
}

// One item maps a thread's checksum h to h * power + a * (the item's first word) + b.
struct ItemMap {
  std::uint32_t power = 1, a = 0, b = 0;
};

ItemMap item_map(const PayloadShape& payload, int rank, const std::vector<TileWord>& words) {
  ItemMap map;
  const int per_thread = payload.words_of_thread();
  for (int n = 0; n < per_thread; ++n) {
    const int group = n / payload.consumer_vector_words, within = n % payload.consumer_vector_words;
    const int number =
        (group * payload.consumer_threads + rank) * payload.consumer_vector_words + within;
    const int word = number % payload.words_per_slot;
    const TileWord own = word_of_slot(payload, words, word);
    map.power *= payload_checksum_multiplier;
    map.a = map.a * payload_checksum_multiplier + (own.is_fill ? 0 : 1);
    map.b = map.b * payload_checksum_multiplier + own.value;
  }
  return map;
}

// Whole periods are one map, taken so many times; the items after them one by one.
std::uint32_t periodic_checksum(const PayloadShape& payload, const ItemMap& map, std::uint32_t seed,
                                std::uint32_t first, std::uint32_t stride, std::uint32_t count) {
  const auto period = static_cast<std::uint32_t>(payload.period);
  const auto after = [&](std::uint32_t checksum, std::uint32_t n) {
    const std::uint32_t image = (first + n * stride) % period;
    return checksum * map.power + map.a * (seed + image * payload_item_step) + map.b;
  };
  std::uint32_t added = 0;
  for (std::uint32_t n = 0; n < period; ++n) added = after(added, n);
  const std::uint32_t power = geometric(map.power, period).power;
  std::uint32_t checksum = added * geometric(power, count / period).sum;
  for (std::uint32_t n = 0; n < count % period; ++n) checksum = after(checksum, n);
  return checksum;
}

// Of a tile of data the sum must be known, whatever the order.
bool is_each_once(const std::vector<TileWord>& words) {
  std::vector<bool> seen(words.size(), false);
  for (const TileWord& word : words) {
    if (word.is_fill || word.value >= words.size() || seen[word.value]) return false;
    seen[word.value] = true;
  }
  return true;
}

}  // namespace

bool has_timed_warp(const LaunchShape& shape) {
  return std::any_of(shape.slices.begin(), shape.slices.end(),
                     [&](const RoleSlice& slice) { return slice.role == shape.timed_role; });
}

std::uint32_t items_of_unit(std::uint32_t items, int unit, int turns) {
  const auto first = static_cast<std::uint32_t>(unit);
  const auto stride = static_cast<std::uint32_t>(turns);
  if (turns == 1) return items;
  return items > first ? (items - first - 1) / stride + 1 : 0;
}

std::uint32_t items_until_leaving(const RoleSlice& slice, std::uint32_t items) {
  return slice.leaves_early ? items / 2 : items;
}

std::uint32_t items_of_slice(const LaunchShape& shape, const RoleSlice& slice,
                             std::uint32_t items) {
  if (slice.role == Role::victim) return items;
  const int turns = slice.role == Role::producer ? shape.producer_turns : shape.consumer_turns;
  return items_of_unit(items_until_leaving(slice, items), slice.unit, turns);
}

std::uint32_t items_of_cta(const LaunchShape& shape, std::uint32_t items, int cta) {
  if (shape.workload.empty()) return items;
  const int together = shape.cluster_size;  // make a tile of all their parts
  return shape.workload.items_of_cta(items, cta / together, shape.ctas() / together);
}

namespace {

std::uint32_t granule_of(const LaunchShape& shape) {
  return static_cast<std::uint32_t>(std::max(1, shape.item_granule));
}

std::uint64_t rounded_up(const LaunchShape& shape, std::uint64_t items) {
  const std::uint64_t granule = granule_of(shape);
  const std::uint64_t wanted = std::max<std::uint64_t>(
      {items, static_cast<std::uint64_t>(std::max(1, shape.min_items)), granule});
  return (wanted + granule - 1) / granule * granule;
}

// The largest n of a chain n .. 4n.
std::uint64_t largest_base(const LaunchShape& shape) {
  if (shape.max_items <= 0) return ~std::uint64_t{0};
  return static_cast<std::uint64_t>(shape.max_items) / 4 / granule_of(shape) * granule_of(shape);
}

}  // namespace

Status check_chain(const LaunchShape& shape) {
  if (rounded_up(shape, 0) <= largest_base(shape)) return {};
  return fail(Step::bundle,
              "at most {} items a launch, at least {}: no room for four chain lengths",
              shape.max_items, rounded_up(shape, 0));
}

std::uint32_t allowed_items(const LaunchShape& shape, std::uint64_t items) {
  return static_cast<std::uint32_t>(std::min(rounded_up(shape, items), largest_base(shape)));
}

std::vector<std::uint32_t> guard_counts(const LaunchShape& shape) {
  if (const workload::WorkloadShape& work = shape.workload; !work.empty()) {
    const auto all = static_cast<std::uint64_t>(work.elements);
    std::vector<std::uint32_t> counts =
        element_counts(work, shape.ctas() / shape.cluster_size, 8, all);
    if (std::find(counts.begin(), counts.end(), all) == counts.end())
      counts.push_back(static_cast<std::uint32_t>(all));
    return counts;
  }
  const std::uint32_t smallest = allowed_items(shape, 0), granule = granule_of(shape);
  std::vector<std::uint32_t> counts;
  for (const std::uint32_t more : {0U, 1U, 2U, 17U, 40U})
    if (const std::uint32_t count = smallest + more * granule;
        shape.max_items <= 0 || count <= static_cast<std::uint32_t>(shape.max_items))
      counts.push_back(count);
  return counts;
}

std::vector<tensor::TensorMap> maps_of(const LaunchShape& shape, std::uint32_t items) {
  std::vector<tensor::TensorMap> maps = shape.tensor_maps;
  if (shape.workload.tile_rows == 0) return maps;
  // A tensor has an element at least; of no rows nothing is copied.
  const std::int64_t rows = std::max<std::int64_t>(1, shape.workload.rows_of(items));
  for (tensor::TensorMap& map : maps)
    if (map.buffer == shape.workload.output || map.buffer == shape.buffers.front().name)
      map.sizes.back() = rows;
  return maps;
}

std::vector<Buffer> buffers_of(const LaunchShape& shape) {
  std::vector<Buffer> buffers = shape.buffers;
  const auto bytes = static_cast<std::uint64_t>(shape.payload.images_bytes());
  buffers.push_back({payload_in_buffer, bytes, {BufferFill::Kind::none, 0}});
  return buffers;
}

KernelParams params_of(const LaunchShape& shape) {
  KernelParams params;
  params.work_amount = shape.work_amount;
  params.delay_cycles = shape.delay_cycles;
  if (shape.workload.tile_rows > 0) {  // a product has neither: its columns, and its depth
    params.work_amount = static_cast<std::uint32_t>(shape.workload.rows);
    params.delay_cycles = static_cast<std::uint32_t>(shape.workload.columns);
  }
  params.first_rank = static_cast<std::uint16_t>(shape.first_rank);
  params.second_rank = static_cast<std::uint16_t>(shape.second_rank);
  params.load_ctas = static_cast<std::uint32_t>(shape.sms > 0 ? shape.sms : shape.load_ctas);
  return params;
}

std::int64_t buffer_bytes(const LaunchShape& shape, const std::string& name) {
  if (name == payload_in_buffer) return shape.payload.images_bytes();
  for (const Buffer& buffer : shape.buffers)
    if (buffer.name == name) return static_cast<std::int64_t>(buffer.bytes);
  return -1;
}

TileWord word_of_copy(const PayloadShape& payload, int word) {
  if (payload.copy_words > 0 && word % payload.copy_words >= payload.kept_words)
    return TileWord{true, 0};
  return TileWord{false, static_cast<std::uint32_t>(word)};
}

Result<std::vector<TileWord>> words_of_slot(const LaunchShape& shape) {
  std::vector<TileWord> words;
  const TilePayload& tile = shape.payload.tile;
  if (tile.map.empty()) return words;
  const auto map = std::find_if(shape.tensor_maps.begin(), shape.tensor_maps.end(),
                                [&](const TensorMap& one) { return one.name == tile.map; });
  if (map == shape.tensor_maps.end())
    return fail(Step::bundle, "the payload is a tile of '{}', which is not a tensor map", tile.map);
  if (tile.at.size() != map->sizes.size())
    return fail(Step::bundle, "tensor map {}: {} coordinates of {} dimensions", map->name,
                tile.at.size(), map->rank());
  const bool of_data = shape.payload.words_per_slot == 0 && shape.data.bytes > 0;
  const int wanted = of_data ? shape.data.tile_bytes / 4 : shape.payload.words_per_slot;
  const std::int64_t found = base::saturated_product(tile_bytes(*map) / 4, tile.copies);
  if (found != wanted)
    return fail(Step::bundle, "tensor map {}: {} tiles have {} words, a slot has {}", map->name,
                tile.copies, found, wanted);
  std::vector<int> at = tile.at;
  for (int copy = 0; copy < tile.copies; ++copy) {
    PHASEBIT_TRY_ASSIGN(own, words_of_tile(*map, at, tile.offsets));
    words.insert(words.end(), own.begin(), own.end());
    const std::int64_t next = std::int64_t{at.back()} + tile_step(*map);
    at.back() = static_cast<int>(std::min<std::int64_t>(next, INT32_MAX));
  }
  if (of_data && !is_each_once(words))
    return with_hint(
        fail(Step::bundle, "tensor map {}: {} tiles are not each word of the data's first tile",
             map->name, tile.copies),
        "`at` is where the data begin, and the map's boxes lie one after the other in them");
  return words;
}

product::Products products_of(const LaunchShape& shape, std::uint32_t seed,
                              const std::vector<TileWord>& words) {
  const PayloadShape& payload = shape.payload;
  product::Products products;
  for (int image = 0; image < payload.period; ++image) {
    const std::uint32_t first = seed + static_cast<std::uint32_t>(image) * payload_item_step;
    std::vector<std::uint32_t> slot;
    for (int word = 0; word < payload.words_per_slot; ++word) {
      const TileWord own = word_of_slot(payload, words, word);
      slot.push_back(own.is_fill ? own.value : product::signs_of(first + own.value));
    }
    products.add(payload.product, slot);
  }
  return products;
}

std::vector<std::uint32_t> items_by_image(const LaunchShape& shape, const RoleSlice& slice,
                                          std::uint32_t items) {
  std::vector<std::uint32_t> counts(index_of(shape.payload.period), 0);
  const int turns = shape.consumer_turns;
  const auto stride = static_cast<std::uint32_t>(turns);
  for (auto item = static_cast<std::uint32_t>(turns > 1 ? slice.unit : 0); item < items;
       item += stride)
    ++counts[item % counts.size()];
  return counts;
}

std::uint32_t expected_checksum(const LaunchShape& shape, std::uint32_t seed, std::uint32_t items,
                                int unit, int rank, const std::vector<TileWord>& words) {
  if (shape.payload.words_per_slot == 0) return 0;
  const ItemMap map = item_map(shape.payload, rank, words);
  const bool turns = shape.consumer_turns > 1;
  const auto first = turns ? static_cast<std::uint32_t>(unit) : 0U;
  const auto stride = static_cast<std::uint32_t>(shape.consumer_turns);
  const std::uint32_t count = items_of_unit(items, unit, shape.consumer_turns);
  if (shape.payload.period > 0)
    return periodic_checksum(shape.payload, map, seed, first, stride, count);
  const std::uint32_t step = payload_item_step * stride;
  const Geometric sums = geometric(map.power, count);
  const std::uint32_t base = seed + first * payload_item_step;
  return (map.a * base + map.b) * sums.sum + map.a * step * sums.weighted;
}

std::uint32_t sum_of_items(const LaunchShape& shape, std::uint32_t seed, std::uint32_t first,
                           std::uint32_t items, const std::vector<TileWord>& words) {
  const PayloadShape& payload = shape.payload;
  std::uint32_t sum = 0;
  for (std::uint32_t item = first; item < items; ++item) {
    const std::uint32_t image = item % static_cast<std::uint32_t>(payload.period);
    for (int word = 0; word < payload.words_per_slot; ++word) {
      const TileWord own = word_of_slot(payload, words, word);
      sum += own.value + (own.is_fill ? 0 : seed + image * payload_item_step);
    }
  }
  return sum;
}

// What memory holds after a launch: the slots that consumers stored.

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
  return fail(Step::bundle, "slots are stored to '{}', which is not a buffer", shape.stored.buffer);
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

}  // namespace phasebit::launch
