#include "pipeline/lower/machine_code.h"

#include "core/base/file.h"
#include "core/base/process.h"
#include "core/base/text.h"

#include <sstream>

namespace phasebit::pipeline::lower {
namespace {

// Of "        /*0050*/                   @P0 SYNCS.ARRIVE.TRANS64 RZ, [UR4], RZ ;".
std::string opcode_in(const std::string& line) {
  const size_t place = line.find("*/");
  if (place == std::string::npos || !line.ends_with(';')) return {};
  std::istringstream words(line.substr(place + 2));
  std::string opcode;
  words >> opcode;
  if (opcode.starts_with('@')) words >> opcode;
  if (opcode.ends_with(';')) opcode.pop_back();
  return opcode;
}

// A kernel's stack pointer and parameters, and what fills it up to its end.
bool is_frame(const std::string& opcode) {
  return opcode.empty() || base::starts_with_any(opcode, {"LDC", "ULDC", "NOP", "EXIT"});
}

}  // namespace

Result<std::string> opcodes_of(const ptxas::Toolchain& toolchain, const std::string& ptx,
                               const std::string& target) {
  PHASEBIT_TRY_ASSIGN(folder, base::TempDir::create());
  const std::string text = (folder.path() / "verb.ptx").string();
  const std::string code = (folder.path() / "verb.cubin").string();
  PHASEBIT_TRY(base::write_file(text, ptx));
  PHASEBIT_TRY_ASSIGN(
      made, base::run_process({toolchain.ptxas.string(), "-arch", target, "-o", code, text}));
  if (!made.ok()) {
    const std::string said = made.err.substr(0, made.err.find('\n'));
    return fail(Step::assemble, "{}", said.substr(said.find("; ") + 2));
  }
  PHASEBIT_TRY_ASSIGN(listed, base::run_process({toolchain.nvdisasm.string(), "-c", code}));
  if (!listed.ok()) return fail(Step::disassemble, "nvdisasm {}", listed.how_it_ended());
  std::istringstream lines(listed.out);
  std::string opcodes, label;
  for (std::string line; std::getline(lines, line);) {
    const std::string opcode = opcode_in(line);
    // What stands behind the end jumps to itself.
    const bool is_filling = opcode == "BRA" && !label.empty() && line.find(label) != line.npos;
    if (!is_frame(opcode) && !is_filling) opcodes += (opcodes.empty() ? "" : " ") + opcode;
    label = line.starts_with(".L_") ? "(" + line.substr(0, line.find(':')) + ")" : "";
  }
  return opcodes;
}

}  // namespace phasebit::pipeline::lower
