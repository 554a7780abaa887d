// What the manual page of phasebit says beside its command line.
#pragma once

#include "core/command/man_page.h"

namespace phasebit {

ManPageFacts manual();

}  // namespace phasebit
