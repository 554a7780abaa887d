// The same verb through every LLVM that is installed, each in the spelling that it knows.
#pragma once

#include "core/table/table.h"

#include <string>

namespace phasebit::pipeline::lower {

struct LlvmHistoryRequest {
  std::string verb;  // of pipeline/lower/spellings.toml; "" for all
};

// A row for each verb and LLVM (Debian's packages, by their program llc-N): the spelling, the PTX
// that comes out, or LLVM's message where it rejects it; a version that is not installed says so.
// Step::usage with the nearest word for a verb that has no spellings.
Result<table::Table> llvm_history(const LlvmHistoryRequest& request);

}  // namespace phasebit::pipeline::lower
