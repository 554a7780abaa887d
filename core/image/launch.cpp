#include "core/image/launch.h"

namespace phasebit::image {
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

// One item maps a thread's checksum h to h * power + a * (the item's first word) + b.
struct ItemMap {
  std::uint32_t power = 1, a = 0, b = 0;
};

ItemMap item_map(const PayloadShape& payload, int rank) {
  ItemMap map;
  const int per_thread = payload.words_per_slot / payload.consumer_threads;
  for (int n = 0; n < per_thread; ++n) {
    const int group = n / payload.consumer_vector_words, within = n % payload.consumer_vector_words;
    const int word =
        (group * payload.consumer_threads + rank) * payload.consumer_vector_words + within;
    map.power *= payload_checksum_multiplier;
    map.a = map.a * payload_checksum_multiplier + 1;
    map.b = map.b * payload_checksum_multiplier + static_cast<std::uint32_t>(word);
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

}  // namespace

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

std::uint32_t expected_checksum(const LaunchShape& shape, std::uint32_t seed, std::uint32_t items,
                                int unit, int rank) {
  if (shape.payload.words_per_slot == 0) return 0;
  const ItemMap map = item_map(shape.payload, rank);
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

}  // namespace phasebit::image
