// The head of a rendered variant: from here on its PTX file says all that later steps ask.
#pragma once

#include "core/ptx/head/head.h"
#include "gen/probes/head_rules.h"
#include "gen/ptxas/kernel.h"

namespace phasebit {

// `rules` are those of its components.
Head make_head(const VariantKey& key, const Plan& plan, const Kernel& kernel, HeadRules rules);

// The barriers of its slots; none where they have no words.
std::vector<HeadBarrier> barriers_of(const Plan& plan);

// The directives between the signature and the body that bound the launch.
std::map<std::string, std::vector<int>> bounds_of(const Kernel& kernel);

}  // namespace phasebit
