// The probe `form` within the space of variants: which points there are.
#pragma once

#include "gen/catalogue/catalogue.h"
#include "gen/forms/form.h"

namespace phasebit {

bool is_form(const VariantKey& key);

// Why the point is no variant; "" for one that is, and for points of other probes.
Result<std::string> why_no_form(const Catalogue& catalogue, const Values& point);

}  // namespace phasebit
