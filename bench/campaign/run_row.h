// The row of one invocation.
#pragma once

#include "core/image/manifest.h"
#include "core/record/record.h"

namespace phasebit::bench::campaign {

// "20261120T195220Z-3f2a9c11d0e4": the time, and a random part so that shards of a sweep can be
// merged.
std::string new_run_id();

// Everything but the id, the tick and the driver.
record::RunRow new_run_row(const image::Manifest& manifest, const std::string& command,
                           std::uint64_t seed);

}  // namespace phasebit::bench::campaign
