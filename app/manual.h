// What the manual page of phasebit says in addition to its command line.
#pragma once

#include "core/base/documents.h"

namespace phasebit::app {

base::ManPageFacts manual();

}  // namespace phasebit::app
