// Tables of documents that LLVM is asked for.
#pragma once

#include "analysis/report/blocks.h"
#include "core/base/home.h"

#include <map>
#include <string>

namespace phasebit::pipeline::lower {

// By the names of their blocks: `llvm_verbs`, verb by verb (verb_table.h) with the figures of the
// document, and `llvm_forms` (missing_forms.h). Neither has arguments.
std::map<std::string, report::TableMaker> document_tables(const base::Home& home);

}  // namespace phasebit::pipeline::lower
