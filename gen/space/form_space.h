// The probe `form` within the space of variants: which points there are.
#pragma once

#include "gen/forms/form.h"
#include "gen/space/catalogue.h"

namespace phasebit::space {

bool is_form(const launch::VariantKey& key);

// Why the point is not a variant; "" for one that is, and for points of other probes.
Result<std::string> why_no_form(const Catalogue& catalogue, const Values& point);

}  // namespace phasebit::space
