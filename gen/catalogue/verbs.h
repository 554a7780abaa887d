// The verbs that a component of each kind may have: what probes ask for.
#pragma once

#include "gen/catalogue/catalogue.h"
#include "gen/catalogue/verbs.h"

#include <string>
#include <vector>

namespace phasebit::catalogue {

// Empty for probes, whose templates are parts of a kernel.
const std::vector<std::string>& component_verbs(ComponentKind kind);

// Whether a component of any kind may have it.
bool is_component_verb(const std::string& name);

// The kind of component that has this verb; nullopt for none.
std::optional<ComponentKind> kind_of_verb(std::string_view verb);

}  // namespace phasebit::catalogue
