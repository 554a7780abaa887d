// What a variant needs of PTX and the architecture.
#pragma once

#include "core/isa/version.h"
#include "core/launch/variant_key.h"
#include "core/ptx/head/head.h"
#include "gen/kernel/plan.h"
#include "gen/space/catalogue.h"

#include <map>
#include <string>
#include <vector>

namespace phasebit::kernel {

struct Requirements {
  isa::Version ptx;
  int sm = 0;
  std::string suffix;                // "a" or "f" when only such targets have them
  std::vector<std::string> reasons;  // of the needs that hold, in the order of the catalogue
};

// The maximum over the needs of axes.toml and of the variant's components; at least PTX 6.3 and
// sm_75, the oldest architecture that the reference ptxas assembles for.
Result<Requirements> requirements(const space::Catalogue& catalogue, const launch::VariantKey& key);

// What `.target` the text names. A form that only targets with a suffix take is assembled for each
// under its own name: `target` if it accepts the form, else the lowest that does; `needs` gets the
// PTX version that this takes.
Result<std::string> declared_target(const launch::VariantKey& key, Requirements& needs,
                                    const std::string& target);

// The rules that a variant's head holds: what its components declare of its SASS, with the counts
// of this variant, for every SASS family and ptxas.

struct HeadRules {
  std::vector<ptx::head::HeadRule> rules;
  std::vector<ptx::head::HeadCover> covers;
  bool exhaustive = true;
};

// `derived` are the integers of the variant's plan. Step::gate when a count cannot be evaluated.
Result<HeadRules> head_rules(const space::Catalogue& catalogue, const launch::VariantKey& key,
                             const std::map<std::string, int>& derived);

// Leaves the verbs that are timed; all when none is named.
void keep_timed(std::vector<ptx::head::HeadRule>& rules,
                const std::vector<std::string>& timed_verbs);

}  // namespace phasebit::kernel
