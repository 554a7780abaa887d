// Anybody's LLVM IR as PTX.
#pragma once

#include "core/base/error.h"

#include <string>

namespace phasebit::pipeline::lower {

struct LowerRequest {
  std::string file;  // .ll or .bc
  std::string target = "sm_90a";
  std::string ptx = "8.6";      // the version that LLVM may use
  int opt_level = 2;            // 0..3
  bool short_pointers = false;  // as LLVM's own default
};

// Its PTX. Step::render with LLVM's own words and the place: "mine.ll:3:12: use of undefined value
// '%x'", a target, PTX version or intrinsic that this LLVM does not have, a module without a
// kernel, a backend that died. Step::usage for a target or version that is none; Step::toolchain
// where this build has no LLVM.
Result<std::string> lower_file(const LowerRequest& request);

}  // namespace phasebit::pipeline::lower
