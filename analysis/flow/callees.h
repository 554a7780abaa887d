// What a kernel is with all that it calls.
#pragma once

#include "analysis/flow/features.h"

#include <map>
#include <string>

namespace phasebit {

// The kernel with what it calls, in its own section and in others of its image (relocatable code
// has a function a section), each function once.
struct CalledCode {
  CodeCounts counts;                // `open_calls`: of what was not found
  std::map<int, CodeCounts> lines;  // by source line
};
CalledCode count_with_callees(const SassKernel& kernel,
                              const std::map<std::string, SassKernel>& image);

}  // namespace phasebit
