// The probe `form` within the space of variants: which points there are and what they need.
#pragma once

#include "gen/catalogue.h"
#include "gen/forms/form.h"
#include "gen/requirements.h"

namespace phasebit {

bool is_form(const VariantKey& key);

// The values that `values_of = "forms"` adds to an axis: every id of forms.csv.
Result<std::vector<std::string>> form_ids();

// Why the point is no variant; "" for one that is, and for points of other probes.
Result<std::string> why_no_form(const Catalogue& catalogue, const Values& point);

// What `.target` the text names. A form that only targets with a suffix take is assembled for each
// under its own name: `target` if it takes the form, else the lowest that does; `needs` gets the
// PTX version that this takes.
Result<std::string> declared_target(const VariantKey& key, Requirements& needs,
                                    const std::string& target);

// Raises what the templates need to what the form needs: its PTX version and its lowest target.
Status add_form_needs(const VariantKey& key, Requirements& all);

}  // namespace phasebit
