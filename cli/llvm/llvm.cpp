#include "cli/llvm.h"

#include "core/base/file.h"

#include <cstdio>

namespace phasebit::cli {

Status run_lower(const LlvmOptions& options) {
  PHASEBIT_TRY_ASSIGN(ptx, pipeline::lower::lower_file(options.lower));
  if (!options.out.empty()) return base::write_file(options.out, ptx);
  std::fwrite(ptx.data(), 1, ptx.size(), stdout);
  return {};
}

Status run_llvm_history(const LlvmOptions& options) {
  PHASEBIT_TRY_ASSIGN(format, table::table_format(options.json ? "json" : options.format));
  PHASEBIT_TRY_ASSIGN(made, pipeline::lower::llvm_history(options.history));
  fmt::print("{}", table::render(made, format));
  return {};
}

Status run_inline_asm(const LlvmOptions& options) {
  PHASEBIT_TRY_ASSIGN(format, table::table_format(options.json ? "json" : options.format));
  PHASEBIT_TRY_ASSIGN(made, pipeline::lower::inline_asm(options.asm_space));
  fmt::print("{}", table::render(made, format));
  return {};
}

Status run_llvm_forms(const LlvmOptions& options) {
  PHASEBIT_TRY_ASSIGN(format, table::table_format(options.json ? "json" : options.format));
  PHASEBIT_TRY_ASSIGN(made, pipeline::lower::missing_forms());
  fmt::print("{}", table::render(made, format));
  return {};
}

Status run_llvm_table(const LlvmOptions& options) {
  PHASEBIT_TRY_ASSIGN(format, table::table_format(options.json ? "json" : options.format));
  PHASEBIT_TRY_ASSIGN(made, pipeline::lower::verb_table(options.table));
  fmt::print("{}", table::render(made, format));
  return {};
}

}  // namespace phasebit::cli
