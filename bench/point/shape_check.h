// Launch shapes that no launch could follow: they come from a manifest, which others may have
// written.
#pragma once

#include "core/base/error.h"
#include "core/image/launch.h"

namespace phasebit::bench::point {

// Step::bundle for a cluster rank or a reading that a record has no place for, a role without a
// slice, or no room for four chain lengths.
Status check_shape(const image::LaunchShape& shape);

}  // namespace phasebit::bench::point
