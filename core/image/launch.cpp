#include "core/image/launch.h"

namespace phasebit {
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

}  // namespace

std::uint32_t items_of_unit(std::uint32_t items, int unit, int turns) {
  const auto first = static_cast<std::uint32_t>(unit);
  const auto stride = static_cast<std::uint32_t>(turns);
  if (turns == 1) return items;
  return items > first ? (items - first - 1) / stride + 1 : 0;
}

std::uint32_t expected_fold(const LaunchShape& shape, std::uint32_t seed, std::uint32_t items,
                            int unit, int rank) {
  const PayloadShape& payload = shape.payload;
  if (payload.words_per_slot == 0) return 0;
  const int per_thread = payload.words_per_slot / payload.consumer_threads;
  // One item maps h to h * multiplier^k + a * item_base + b.
  std::uint32_t power = 1, a = 0, b = 0;
  for (int n = 0; n < per_thread; ++n) {
    const int group = n / payload.consumer_vector_words, within = n % payload.consumer_vector_words;
    const int word =
        (group * payload.consumer_threads + rank) * payload.consumer_vector_words + within;
    power *= payload_fold_multiplier;
    a = a * payload_fold_multiplier + 1;
    b = b * payload_fold_multiplier + static_cast<std::uint32_t>(word);
  }
  const bool turns = shape.consumer_turns > 1;
  const auto first = turns ? static_cast<std::uint32_t>(unit) : 0U;
  const std::uint32_t step = payload_item_step * static_cast<std::uint32_t>(shape.consumer_turns);
  const Geometric sums = geometric(power, items_of_unit(items, unit, shape.consumer_turns));
  const std::uint32_t base = seed + first * payload_item_step;
  return (a * base + b) * sums.sum + a * step * sums.weighted;
}

}  // namespace phasebit
