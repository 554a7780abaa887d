// The head of a rendered variant: from here on its PTX file says all that later steps ask.
#pragma once

#include "core/ptx/head/head.h"
#include "gen/kernel/requirements.h"
#include "gen/ptxas/assembler.h"
#include "gen/space/catalogue.h"

#include <nlohmann/json.hpp>

namespace phasebit::kernel {

// The rules of a variant's components, with the figures of its plan. `templates` is what the
// templates have of the key: the axes of the catalogue.
Result<HeadRules> rules_of(const space::Catalogue& catalogue, const launch::VariantKey& templates,
                           const launch::VariantKey& key, const Plan& plan);

// `rules` are those of its components.
ptx::head::Head make_head(const launch::VariantKey& key, const Plan& plan,
                          const ptxas::Kernel& kernel, HeadRules rules);

// The barriers of its slots; none where they have no words.
std::vector<ptx::head::HeadBarrier> barriers_of(const Plan& plan);

// The directives between the signature and the body that bound the launch.
std::map<std::string, std::vector<int>> bounds_of(const ptxas::Kernel& kernel);

// What reports need of a catalogue: they travel with the results, so that a table needs no
// templates.

// {"axes": {AXIS: {"default": VALUE, "label": WORD}}, "protocols": {NAME: {"waits_on": WORDS}}}.
// Components may declare one axis with other defaults: then "COMPONENT.AXIS" is next to
// "AXIS", which is that of the first. In `waits_on`, {axis} stands for the axis's value;
// what is in brackets is there only where one of its axes is not at its default.
nlohmann::json catalogue_facts(const space::Catalogue& catalogue);

}  // namespace phasebit::kernel
