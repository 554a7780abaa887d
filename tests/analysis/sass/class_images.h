// Texts whose code depends on what is next to it, for the tests of classes and listings.
#pragma once

#include "tests/analysis/sass/support.h"

#include <string>
#include <vector>

namespace phasebit::test {

// Constants of both banks, a global, a jump table, shared memory, a barrier, a function that is
// called, and one that ptxas brings along (the square root of a double).
extern const std::string data_kernel;

// Equal for everything but one thing.
std::string replaced(std::string text, const std::string& from, const std::string& to);

// A module by the pinned ptxas, with `.version` and `.target` put before the text.
Result<std::string> assemble_text(const std::string& text, const std::string& target,
                                  const std::vector<std::string>& flags = {});

}  // namespace phasebit::test
