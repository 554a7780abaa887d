// The gate of a variant without a plan and a text of its own.
#pragma once

#include "gen/kernel/requirements.h"

#include <map>
#include <string>

namespace phasebit::test {

// The gates of the variant for one SASS family ("" when unknown) and ptxas. Declarations of the
// same verb and role are joined, counts of the same pattern added. `derived` are the integers of
// the variant's plan; the items of an iteration are the caller's to fill in.
// Step::gate when a count cannot be evaluated.
inline Result<isa::GateSpec> gate_spec(const space::Catalogue& catalogue,
                                       const launch::VariantKey& key, const std::string& family,
                                       const isa::Version& ptxas,
                                       const std::map<std::string, int>& derived) {
  PHASEBIT_TRY_ASSIGN(made, kernel::head_rules(catalogue, key, derived));
  ptx::head::Head head;
  head.rules = std::move(made.rules);
  head.covers = std::move(made.covers);
  head.exhaustive = made.exhaustive;
  return ptx::head::gate_of(head, family, ptxas);
}

}  // namespace phasebit::test
