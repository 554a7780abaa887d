// Words of the command line.
#pragma once

#include "core/base/error.h"
#include "core/image/manifest.h"

#include <string>

namespace phasebit::pipeline::select {

// "timed" or "guarded"; Step::usage with the nearest word otherwise.
Result<image::Build> parse_build(const std::string& word);

}  // namespace phasebit::pipeline::select
