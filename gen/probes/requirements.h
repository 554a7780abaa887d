// What a variant needs of PTX and the architecture, and what its SASS must be.
#pragma once

#include "core/image/variant_key.h"
#include "core/isa/version.h"
#include "core/rule/rule.h"
#include "gen/catalogue/catalogue.h"

#include <map>
#include <string>
#include <vector>

namespace phasebit {

struct Requirements {
  Version ptx;
  int sm = 0;
  std::string suffix;                // "a" or "f" when only such targets have them
  std::vector<std::string> reasons;  // of the needs that hold, in the order of the catalogue
};

// The maximum over the needs of axes.toml and of the variant's components; at least PTX 6.3 and
// sm_75, the oldest architecture that the reference ptxas assembles for.
Result<Requirements> requirements(const Catalogue& catalogue, const VariantKey& key);

// What `.target` the text names. A form that only targets with a suffix take is assembled for each
// under its own name: `target` if it takes the form, else the lowest that does; `needs` gets the
// PTX version that this takes.
Result<std::string> declared_target(const VariantKey& key, Requirements& needs,
                                    const std::string& target);

// The gates of the variant for one SASS family ("" when unknown) and ptxas. Declarations of the
// same verb and role are joined, counts of the same pattern added. `derived` are the integers of
// the variant's plan; the items of an iteration are the caller's to fill in.
// Step::gate when a count cannot be evaluated.
Result<GateSpec> gate_spec(const Catalogue& catalogue, const VariantKey& key,
                           const std::string& family, const Version& ptxas,
                           const std::map<std::string, int>& derived);

}  // namespace phasebit
