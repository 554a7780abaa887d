#include "join/lower/lower_file.h"

#include "analysis/disassembly/disassembler.h"
#include "analysis/flow/flow.h"
#include "core/base/file.h"
#include "core/base/process.h"
#include "core/isa/opcodes.h"
#include "core/isa/version.h"
#include "gen/llvm/worker.h"

namespace phasebit::join::lower {

using isa::SassFact;

Result<std::string> lower_file(const LowerRequest& request) {
  PHASEBIT_TRY_ASSIGN(ir, base::read_file(request.file));
  if (request.target.find_first_of(" \n") != std::string::npos || request.target.empty())
    return fail(Step::usage, "-t '{}': not an architecture such as sm_90a", request.target);
  const auto version = isa::parse_version(request.ptx);
  if (!version || version->parts.size() != 2)
    return fail(Step::usage, "--ptx {}: not a version such as 8.6", request.ptx);
  PHASEBIT_TRY_ASSIGN(program, llvm::find_program());
  llvm::Worker worker(program);
  const llvm::Options options{request.target, llvm::ptx_number(*version), request.opt_level,
                              request.short_pointers};
  PHASEBIT_TRY_ASSIGN(made, worker.lower(request.file, ir, options));
  return std::move(made.ptx);
}

namespace {

// A kernel's stack pointer and parameters, and what fills it up to its end.
bool is_frame(const cubin::Instruction& one) {
  const bool jumps_to_itself =
      flow::is(one, SassFact::branch) && one.operands == fmt::format("{:#x}", one.address);
  return jumps_to_itself || flow::is(one, SassFact::constant, SassFact::nop, SassFact::ends);
}

Result<std::string> assembled(const fs::path& ptxas, const std::string& ptx,
                              const std::string& target) {
  PHASEBIT_TRY_ASSIGN(folder, base::TempDir::create());
  const std::string text = (folder.path() / "verb.ptx").string();
  const std::string code = (folder.path() / "verb.cubin").string();
  PHASEBIT_TRY(base::write_file(text, ptx));
  PHASEBIT_TRY_ASSIGN(made, base::run_process({ptxas.string(), "-arch", target, "-o", code, text}));
  if (made.ok()) return base::read_file(code);
  const std::string said = made.err.substr(0, made.err.find('\n'));
  return fail(Step::assemble, "{}", said.substr(said.find("; ") + 2));
}

}  // namespace

Result<MachineCode> MachineCode::open(const base::Home& home) {
  PHASEBIT_TRY_ASSIGN(toolchain, ptxas::find_toolchain({home, {}, {}}));
  PHASEBIT_TRY(ptxas::require_nvdisasm(toolchain));
  PHASEBIT_TRY_ASSIGN(disassembler, disassembly::Disassembler::open(toolchain.nvdisasm));
  return MachineCode(std::move(toolchain), std::move(disassembler));
}

Result<std::string> MachineCode::opcodes_of(const std::string& ptx,
                                            const std::string& target) const {
  PHASEBIT_TRY_ASSIGN(code, assembled(toolchain_.ptxas, ptx, target));
  PHASEBIT_TRY_ASSIGN(read, cubin::read_cubin(code));
  const cubin::CubinKernel& only = read.kernels.front();
  PHASEBIT_TRY_ASSIGN(kernel, disassembly::join_kernel(only, disassembler_.listing(read.sm, only)));
  std::string opcodes;
  for (const cubin::Instruction& one : kernel.instructions)
    if (!is_frame(one)) opcodes += (opcodes.empty() ? "" : " ") + one.opcode;
  return opcodes;
}

}  // namespace phasebit::join::lower
