// Where verbs in LLVM IR are inline asm, since LLVM has no intrinsic.
#pragma once

#include "core/table/table.h"
#include "pipeline/select/space.h"

namespace phasebit::pipeline::lower {

// A row for each place of the templates' IR: what it says, and how many variants of the space have
// it; last how many have IR, and how many of those have inline asm. No LLVM is started.
Result<table::Table> inline_asm(const select::SpaceRequest& request);

}  // namespace phasebit::pipeline::lower
