// What this LLVM cannot say, because its PTX ends before it.
#pragma once

#include "core/table/table.h"

namespace phasebit::pipeline::lower {

// A row for each instruction (the first word) of which core/isa/forms.csv has forms that need a
// later PTX than this LLVM writes, asked of it version by version: how many forms there are, how
// many of them need a later PTX and which, and the first. Step::toolchain where this build has no
// LLVM.
Result<table::Table> missing_forms();

}  // namespace phasebit::pipeline::lower
