// The warps of a CTA: which of them have which role, unit and rank.
#pragma once

#include "gen/kernel/plan.h"

#include <string>
#include <vector>

namespace phasebit::kernel {

// An axis as a whole number, `fallback` where the variant does not have it.
Result<int> whole_number(const launch::VariantKey& variant, const std::string& axis, int fallback);

// Producers and consumers as the axes unit, producers, consumers, placement, sharing and roles say.
Status lay_out_warps(const launch::VariantKey& variant, Plan& plan);

class Figures;
// The tensor map of a mover whose slots are tiles, and the payload as it lays it out.
Status place_tiles(const launch::VariantKey& variant, const Figures& figures, Plan& plan);
// Step::spec for a map that the driver refuses, or whose tiles are not a slot (words_of_slot).
Status check_tiles(const launch::VariantKey& variant, const launch::LaunchShape& launch);
// The matrices that a work multiplies: before the moves of the consumers, which then have none.
Status place_product(const launch::VariantKey& variant, const Figures& figures, Plan& plan);
// What consumers store the slots to, after place_tiles.
Status place_stored(const launch::VariantKey& variant, const Figures& figures, Plan& plan);

// Probes whose loop has an item several times in a row: their axis `unroll` says how often.
Status repeat_items(const launch::VariantKey& variant, Plan& plan);

}  // namespace phasebit::kernel
