// Which program runs.
#pragma once

#include <string>

namespace phasebit::base {

// content_hash of the executable: another for each build of other code. "" where it cannot be read.
const std::string& program_hash();

}  // namespace phasebit::base
