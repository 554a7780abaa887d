// The anchors' kernels as prepared variants: templates/anchors/anchors.toml.
#pragma once

#include "join/images/prepare.h"

#include <vector>

namespace phasebit::join::images {

// Variants "anchor/NAME" of probe "anchor". Step::spec names the file and key of what is wrong.
Result<std::vector<Prepared>> prepare_anchors(const fs::path& templates);

}  // namespace phasebit::join::images
