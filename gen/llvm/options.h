// How LLVM is asked to make PTX of IR.
#pragma once

#include <string>
#include <string_view>

namespace phasebit::llvm {

// The LLVM that phasebit-llvm was built with: "22.1.8"; "" where this build has no such program.
std::string_view built_version();

struct Options {
  std::string target;          // "sm_90a"
  int ptx = 0;                 // that it may use: 86 is PTX 8.6
  int opt_level = 2;           // 0..3: of the optimiser and the backend
  bool short_pointers = true;  // addresses in shared memory have 32 bits
};

}  // namespace phasebit::llvm
