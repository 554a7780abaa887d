// `phasebit llvm ...`
#pragma once

#include "app/arguments.h"
#include "join/lower/history.h"
#include "join/lower/lower_file.h"
#include "join/lower/missing_forms.h"
#include "join/lower/verb_table.h"

namespace phasebit::app {

struct LlvmOptions {
  join::lower::LowerRequest lower;
  std::string out;  // "" for standard output
  join::lower::LlvmHistoryRequest history;
  join::select::SpaceRequest asm_space;
  join::lower::VerbTableRequest table;
  std::string format = "text";
  bool json = false;
};
void add_llvm(CLI::App& app, LlvmOptions& options, Chosen& chosen);

Status run_lower(const LlvmOptions& options);
Status run_llvm_history(const LlvmOptions& options);
Status run_inline_asm(const LlvmOptions& options);
Status run_llvm_table(const LlvmOptions& options);
Status run_llvm_forms(const LlvmOptions& options);

}  // namespace phasebit::app
