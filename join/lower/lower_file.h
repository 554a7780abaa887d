// LLVM IR from any compiler as PTX.
#pragma once

#include "analysis/disassembly/disassembler.h"
#include "core/base/error.h"
#include "gen/ptxas/toolchain.h"

#include <string>

namespace phasebit::join::lower {

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

// The SASS of one small kernel.

class MachineCode {
 public:
  // By the pinned ptxas and nvdisasm. Step::toolchain where one of them is missing.
  static Result<MachineCode> open(const base::Home& home);

  const isa::Version& version() const { return toolchain_.version; }

  // The opcodes of the one kernel of `ptx` for `target`, in their order and without those that
  // begin and end every kernel: "SYNCS.ARRIVE.TRANS64.A1T0 BRA". Step::assemble with ptxas' words.
  Result<std::string> opcodes_of(const std::string& ptx, const std::string& target) const;

 private:
  MachineCode(ptxas::Toolchain toolchain, disassembly::Disassembler disassembler)
      : toolchain_(std::move(toolchain)), disassembler_(std::move(disassembler)) {}

  ptxas::Toolchain toolchain_;
  disassembly::Disassembler disassembler_;
};

}  // namespace phasebit::join::lower
