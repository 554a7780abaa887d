// As phasebit.h, for libraries in which many sources read or write JSON.
#ifndef PHASEBIT_PCH_JSON
#define PHASEBIT_PCH_JSON

#include "core/base/pch/phasebit.h"

#include <nlohmann/json.hpp>

#endif
