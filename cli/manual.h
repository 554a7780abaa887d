// What the manual page of phasebit says beside its command line.
#pragma once

#include "core/command/documents.h"

namespace phasebit::cli {

command::ManPageFacts manual();

}  // namespace phasebit::cli
