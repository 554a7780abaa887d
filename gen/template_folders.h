// Where the partials of a combination of components are looked for.
#pragma once

#include "gen/template_set.h"

namespace phasebit {

// Relative to `templates`, in the order of the search: the folder of the probe, the protocol, the
// mover and the work, each followed by that of the component it `uses`, then common.
// Step::spec when a component's TOML file cannot be read; a folder without one uses nothing.
Result<std::vector<std::string>> template_folders(const fs::path& templates,
                                                  const Combination& combination);

}  // namespace phasebit
