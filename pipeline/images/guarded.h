// The guarded build of a kernel, wherever its text came from.
#pragma once

#include "gen/render/render.h"

namespace phasebit::pipeline::images {

// Made from the timed build (gen/guard). Its head says that it is guarded.
Result<render::Rendered> guarded_kernel(const render::Rendered& timed);

}  // namespace phasebit::pipeline::images
