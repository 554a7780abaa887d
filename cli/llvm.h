// `phasebit llvm ...`
#pragma once

#include "cli/arguments.h"
#include "pipeline/lower/history.h"
#include "pipeline/lower/inline_asm.h"
#include "pipeline/lower/lower_file.h"

namespace phasebit::cli {

struct LlvmOptions {
  pipeline::lower::LowerRequest lower;
  std::string out;  // "" for standard output
  pipeline::lower::LlvmHistoryRequest history;
  pipeline::select::SpaceRequest asm_space;
  std::string format = "text";
  bool json = false;
};
void add_llvm(CLI::App& app, LlvmOptions& options, Chosen& chosen);

Status run_lower(const LlvmOptions& options);
Status run_llvm_history(const LlvmOptions& options);
Status run_inline_asm(const LlvmOptions& options);

}  // namespace phasebit::cli
