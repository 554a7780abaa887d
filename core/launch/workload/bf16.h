// bf16: the upper half of an f32.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace phasebit::launch::workload {

inline float value_of_bf16(std::uint32_t bits) {
  return std::bit_cast<float>(bits << 16U);
}

// The nearest bf16, of two the even one; NaN stays NaN.
inline std::uint16_t bf16_of(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  constexpr std::uint32_t quiet = 0x40, to_nearest = 0x7FFF;
  if (std::isnan(value)) return static_cast<std::uint16_t>(bits >> 16U | quiet);
  return static_cast<std::uint16_t>((bits + to_nearest + (bits >> 16U & 1U)) >> 16U);
}

}  // namespace phasebit::launch::workload
