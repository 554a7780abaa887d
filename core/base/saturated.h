// Products and sums of sizes that others said: what does not fit is the greatest number, so that
// the limit that they are compared with refuses it.
#pragma once

#include <cstdint>
#include <limits>

namespace phasebit::base {

inline std::int64_t saturated_product(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) return product;
  using Limits = std::numeric_limits<std::int64_t>;
  return (a < 0) == (b < 0) ? Limits::max() : Limits::min();
}

inline std::int64_t saturated_sum(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a < 0 ? std::numeric_limits<std::int64_t>::min()
               : std::numeric_limits<std::int64_t>::max();
}

// Of a list such as `.maxntid 64, 2, 1`.
template <typename Numbers>
std::int64_t saturated_product(const Numbers& numbers) {
  std::int64_t all = 1;
  for (const auto number : numbers) all = saturated_product(all, number);
  return all;
}

}  // namespace phasebit::base
