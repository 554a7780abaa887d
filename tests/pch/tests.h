// The same for the test programs.
#ifndef PHASEBIT_TESTS_PCH
#define PHASEBIT_TESTS_PCH

#include "core/base/pch/phasebit.h"

#include <gtest/gtest.h>

#endif
