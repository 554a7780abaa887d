// Flags of a figure as they are kept in a column.
#pragma once

#include "core/record/flag.h"

#include <string>
#include <vector>

namespace phasebit::report::sql {

// JSON; "" for none.
std::string flags_text(const std::vector<record::Flag>& flags);
std::vector<record::Flag> read_flags(const std::string& text);

}  // namespace phasebit::report::sql
