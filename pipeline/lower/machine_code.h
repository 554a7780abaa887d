// The SASS of one small kernel.
#pragma once

#include "analysis/disassembly/disassembler.h"
#include "gen/ptxas/toolchain.h"

#include <string>

namespace phasebit::pipeline::lower {

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

}  // namespace phasebit::pipeline::lower
