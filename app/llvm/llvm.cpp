#include "app/llvm.h"

#include "app/arguments.h"
#include "core/base/file.h"

#include <cstdio>

namespace phasebit::app {

Status run_lower(const LlvmOptions& options) {
  PHASEBIT_TRY_ASSIGN(ptx, join::lower::lower_file(options.lower));
  if (!options.out.empty()) return base::write_file(options.out, ptx);
  std::fwrite(ptx.data(), 1, ptx.size(), stdout);
  return {};
}

Status run_llvm_history(const LlvmOptions& options) {
  return print_table(options, [&] { return join::lower::llvm_history(options.history); });
}

Status run_inline_asm(const LlvmOptions& options) {
  return print_table(options, [&] { return join::lower::inline_asm(options.asm_space); });
}

Status run_llvm_forms(const LlvmOptions& options) {
  return print_table(options, [] { return join::lower::missing_forms(); });
}

Status run_llvm_table(const LlvmOptions& options) {
  return print_table(options, [&] { return join::lower::verb_table(options.table); });
}

}  // namespace phasebit::app
