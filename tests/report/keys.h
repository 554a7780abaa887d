// Keys for the ids of test rows, by a small catalogue of components, their axes and defaults.
#pragma once

#include "core/results/record.h"

#include <string>

namespace phasebit::test {

// "ring/mbarrier/st_shared/none/wait=test_wait" and "anchor/fma". A component that the catalogue
// does not have has no axes but those that the id names, and so has an id of fewer than four.
results::VariantRow row_of_id(const std::string& id, const std::string& hash);

// Gives every variant of a point without a key its key, and the catalogue's facts.
results::Results with_keys(results::Results results);

}  // namespace phasebit::test
