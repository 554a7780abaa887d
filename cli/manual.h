// What the manual page of phasebit says beside its command line.
#pragma once

#include "core/command/man_page.h"

namespace phasebit::cli {

command::ManPageFacts manual();

}  // namespace phasebit::cli
