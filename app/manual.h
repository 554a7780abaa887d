// What the manual page of phasebit says beside its command line.
#pragma once

#include "core/base/documents.h"

namespace phasebit::app {

base::ManPageFacts manual();

}  // namespace phasebit::app
