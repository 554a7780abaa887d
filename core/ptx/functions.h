// Where the functions of a file stand, and what their signatures say.
#pragma once

#include "core/ptx/file.h"

namespace phasebit {

// Fills in `functions`, `globals`, `version` and `target` from the statements.
Status find_functions(PtxFile& file);

}  // namespace phasebit
