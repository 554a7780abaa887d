// `phasebit llvm ...`
#pragma once

#include "cli/arguments.h"
#include "pipeline/lower/history.h"
#include "pipeline/lower/lower_file.h"
#include "pipeline/lower/missing_forms.h"
#include "pipeline/lower/verb_table.h"

namespace phasebit::cli {

struct LlvmOptions {
  pipeline::lower::LowerRequest lower;
  std::string out;  // "" for standard output
  pipeline::lower::LlvmHistoryRequest history;
  pipeline::select::SpaceRequest asm_space;
  pipeline::lower::VerbTableRequest table;
  std::string format = "text";
  bool json = false;
};
void add_llvm(CLI::App& app, LlvmOptions& options, Chosen& chosen);

Status run_lower(const LlvmOptions& options);
Status run_llvm_history(const LlvmOptions& options);
Status run_inline_asm(const LlvmOptions& options);
Status run_llvm_table(const LlvmOptions& options);
Status run_llvm_forms(const LlvmOptions& options);

}  // namespace phasebit::cli
