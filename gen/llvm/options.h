// How LLVM is asked to make PTX of IR.
#pragma once

#include "core/isa/version.h"

#include <string>
#include <string_view>

namespace phasebit::llvm {

// The LLVM that phasebit-llvm was built with: "22.1.8"; "" where this build has no such program.
std::string_view built_version();

// As LLVM counts them: 86 of PTX 8.6.
inline int ptx_number(const isa::Version& version) {
  return 10 * version.parts.at(0) + (version.parts.size() > 1 ? version.parts[1] : 0);
}

struct Options {
  std::string target;          // "sm_90a"
  int ptx = 0;                 // that it may use: a ptx_number
  int opt_level = 2;           // 0..3: of the optimiser and the backend
  bool short_pointers = true;  // addresses in shared memory have 32 bits
};

}  // namespace phasebit::llvm
