// The same verb through every LLVM that is installed, each in the spelling that it knows.
#pragma once

#include "core/base/home.h"
#include "core/base/table.h"

#include <string>

namespace phasebit::join::lower {

struct LlvmHistoryRequest {
  base::Home home;
  std::string verb;         // of join/lower/spellings.toml; "" for all
  std::string sass_target;  // "sm_90a": the pinned ptxas' SASS next to the PTX; "" for none
  std::string snippets;     // folder for the PTX as a user's text for a verb; "" for none
};

// A row for each verb and LLVM (Debian's packages, by their program llc-N): the spelling, the PTX
// that comes out, or LLVM's message where it rejects it; a version that is not installed says so.
// With `snippets` a file for each distinct PTX that can replace a verb of the
// templates, "arrive.llvm22.ptx", called after the first LLVM that makes it; "_short" after the
// number: with addresses of 32 bits, for which LLVM 22 has a row of its own.
// Step::usage with the nearest word for a verb that has no spellings.
Result<base::Table> llvm_history(const LlvmHistoryRequest& request);

}  // namespace phasebit::join::lower
