// Chain lengths: how many items a launch passes through the ring.
#pragma once

#include "core/image/launch.h"

#include <cstdint>
#include <vector>

namespace phasebit {

// The smallest number of items that is at least `items` and that the shape allows.
std::uint32_t allowed_items(const LaunchShape& shape, std::uint64_t items);

// Counts for the guarded build: the smallest, its neighbours, and a few that end in another slot.
std::vector<std::uint32_t> guard_counts(const LaunchShape& shape);

// The two counts whose difference tells the cost of an item before the chain is chosen.
std::vector<std::uint32_t> trial_counts(const LaunchShape& shape);

// n of the chain n, 2n, 3n, 4n: about 16,000 cycles for n, so that the longest launch takes some
// tens of microseconds and a round a small part of a millisecond.
std::uint32_t chain_base(const LaunchShape& shape, double cycles_per_item);

// `rounds` times n, 2n, 3n, 4n.
std::vector<std::uint32_t> chain_counts(std::uint32_t base, int rounds);

}  // namespace phasebit
