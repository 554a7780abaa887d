// Chain lengths: how many items a launch passes through the ring.
#pragma once

#include "core/base/error.h"
#include "core/image/launch.h"
#include "core/record/record.h"

#include <cstdint>
#include <vector>

namespace phasebit::bench::point {

// Step::bundle when the shape's largest count leaves no room for four chain lengths.
Status check_chain(const image::LaunchShape& shape);

// The smallest number of items that is at least `items` and that the shape allows, as long as the
// chain n, 2n, 3n, 4n stays within the shape's largest count.
std::uint32_t allowed_items(const image::LaunchShape& shape, std::uint64_t items);

// Counts for the guarded build: the smallest, its neighbours, and a few that end in another slot;
// none above the shape's largest.
std::vector<std::uint32_t> guard_counts(const image::LaunchShape& shape);

// Two counts whose launches tell the cost of an item: `first` and four times as many.
std::vector<std::uint32_t> trial_counts(const image::LaunchShape& shape, std::uint64_t first);

// n of the chain n, 2n, 3n, 4n from the samples of a trial: about 16,000 cycles for n, so that the
// longest launch takes some tens of microseconds and a round a small part of a millisecond. 0 when
// the trial was too short to tell and a longer one is allowed: make one with four times as many.
std::uint32_t chain_base(const image::LaunchShape& shape, const record::Sample& shorter,
                         const record::Sample& longer);

// `rounds` times n, 2n, 3n, 4n.
std::vector<std::uint32_t> chain_counts(std::uint32_t base, int rounds);

}  // namespace phasebit::bench::point
