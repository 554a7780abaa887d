// Numbers as they stand in PTX.
#pragma once

#include <cstdint>
#include <string>

namespace phasebit::render::context {

std::string hex(std::uint32_t value);  // "0x0000002a"

// ceil(2^32 / divisor) for divisor >= 2: mul.hi with it divides exactly where dividend * divisor is
// below 2^32. ptxas would make a division of twenty instructions.
std::string reciprocal(int divisor);

}  // namespace phasebit::render::context
