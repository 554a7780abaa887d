#include "pipeline/lower/machine_code.h"

#include "analysis/disassembly/module.h"
#include "core/base/file.h"
#include "core/base/process.h"
#include "core/base/text.h"

namespace phasebit::pipeline::lower {
namespace {

// A kernel's stack pointer and parameters, and what fills it up to its end.
bool is_frame(const cubin::Instruction& one) {
  const bool jumps_to_itself =
      one.opcode == "BRA" && one.operands == fmt::format("{:#x}", one.address);
  return jumps_to_itself || base::starts_with_any(one.opcode, {"LDC", "ULDC", "NOP", "EXIT"});
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

}  // namespace phasebit::pipeline::lower
