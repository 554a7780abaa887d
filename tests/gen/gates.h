// The gate of a variant without a plan and a text of its own.
#pragma once

#include "gen/probes/requirements.h"

#include <map>
#include <string>

namespace phasebit::test {

// The gates of the variant for one SASS family ("" when unknown) and ptxas. Declarations of the
// same verb and role are joined, counts of the same pattern added. `derived` are the integers of
// the variant's plan; the items of an iteration are the caller's to fill in.
// Step::gate when a count cannot be evaluated.
inline Result<rule::GateSpec> gate_spec(const catalogue::Catalogue& catalogue,
                                        const image::VariantKey& key, const std::string& family,
                                        const isa::Version& ptxas,
                                        const std::map<std::string, int>& derived) {
  PHASEBIT_TRY_ASSIGN(made, probes::head_rules(catalogue, key, derived));
  ptx::head::Head head;
  head.rules = std::move(made.rules);
  head.covers = std::move(made.covers);
  head.exhaustive = made.exhaustive;
  return ptx::head::gate_of(head, family, ptxas);
}

}  // namespace phasebit::test
