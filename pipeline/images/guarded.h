// The guarded build of a kernel, wherever its text came from.
#pragma once

#include "gen/render/render.h"

namespace phasebit {

// Made from the timed build (gen/guard). Its head says that it is guarded.
Result<Rendered> guarded_kernel(const Rendered& timed);

}  // namespace phasebit
