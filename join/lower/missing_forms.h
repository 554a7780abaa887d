// What this LLVM cannot say, because its PTX ends before it.
#pragma once

#include "analysis/report/blocks.h"
#include "core/base/home.h"
#include "core/base/table.h"
#include "join/select/space.h"

#include <map>
#include <string>

namespace phasebit::join::lower {

// A row for each instruction (the first word) of which core/isa/forms.csv has forms that need a
// later PTX than this LLVM writes, asked of it version by version: how many forms there are, how
// many of them need a later PTX and which, and the first. Step::toolchain where this build has no
// LLVM.
Result<base::Table> missing_forms();

// Tables of documents that LLVM is asked for.

// By the names of their blocks: `llvm_verbs`, verb by verb (verb_table.h) with the figures of the
// document, and `llvm_forms` (missing_forms.h). Neither has arguments.
std::map<std::string, report::TableMaker> document_tables(const base::Home& home);

// Where verbs in LLVM IR are inline asm, since LLVM has no intrinsic.

// A row for each place of the templates' IR: what it says, and how many variants of the space have
// it; last how many have IR, and how many of those have inline asm. No LLVM is started.
Result<base::Table> inline_asm(const select::SpaceRequest& request);

}  // namespace phasebit::join::lower
