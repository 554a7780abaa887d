// The rules of a head as TOML.
#pragma once

#include "core/base/toml.h"
#include "core/ptx/head/head.h"

#include <string>

namespace phasebit::ptx::head {

// Rules, what they cover, and the items of an iteration. The first error goes to `status`.
void read_head_rules(const base::TomlValue& rules, const std::string& file, Status& status,
                     Head& head);

}  // namespace phasebit::ptx::head
