// The rules that a variant's head holds: what its components declare of its SASS, with the counts
// of this variant, for every SASS family and ptxas.
#pragma once

#include "core/ptx/head/head.h"
#include "gen/catalogue/catalogue.h"
#include "gen/probes/plan.h"

#include <map>
#include <string>
#include <vector>

namespace phasebit::probes {

struct HeadRules {
  std::vector<ptx::head::HeadRule> rules;
  std::vector<ptx::head::HeadCover> covers;
  bool exhaustive = true;
};

// `derived` are the integers of the variant's plan. Step::gate when a count cannot be evaluated.
Result<HeadRules> head_rules(const catalogue::Catalogue& catalogue, const image::VariantKey& key,
                             const std::map<std::string, int>& derived);

// Leaves the verbs that are timed; all when none is named.
void keep_timed(std::vector<ptx::head::HeadRule>& rules,
                const std::vector<std::string>& timed_verbs);

}  // namespace phasebit::probes
