// The probe `form` within the space of variants: which points there are.
#pragma once

#include "gen/catalogue/catalogue.h"
#include "gen/forms/form.h"

namespace phasebit::space {

bool is_form(const image::VariantKey& key);

// Why the point is no variant; "" for one that is, and for points of other probes.
Result<std::string> why_no_form(const catalogue::Catalogue& catalogue,
                                const catalogue::Values& point);

}  // namespace phasebit::space
