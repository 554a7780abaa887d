#include "gen/render/context/numbers.h"

#include <fmt/format.h>

namespace phasebit::render::context {

std::string hex(std::uint32_t value) {
  return fmt::format("0x{:08x}", value);
}

std::string reciprocal(int divisor) {
  const auto d = static_cast<std::uint64_t>(divisor);
  return hex(static_cast<std::uint32_t>(((1ULL << 32) + d - 1) / d));
}

}  // namespace phasebit::render::context
