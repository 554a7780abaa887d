// Verb by verb: what stands in the IR, what LLVM makes of it, and what that costs beside the
// templates' PTX.
#pragma once

#include "analysis/report/sql/database.h"
#include "core/table/table.h"
#include "pipeline/images/tools.h"

#include <string>
#include <vector>

namespace phasebit::pipeline::lower {

struct VerbTableRequest {
  base::Home home;
  images::ToolOptions tools;
  std::string spec;   // "": specs/llvm.toml of the data
  std::string sweep;  // "": table; variants of the templates, each way to say one in IR once
  std::string target = "sm_90a";
  std::vector<std::string> results;  // empty: the published ones of LLVM; without any no cycles
};

// A row a verb: the intrinsics of its IR, the PTX that comes out and that of the templates, the
// opcodes that synchronise and what LLVM's path has more or less, the SASS class of both kernels,
// and cycles of both on each GPU of the results: of the verb alone where the probe is `verb` and
// two sizes were measured, else of the variant's item. Step::toolchain where this build has no
// LLVM; else as select::open_space, images::open_tools and report::data::report_data.
Result<table::Table> verb_table(const VerbTableRequest& request);

// The same of results at hand: `device` first, then the other models of them.
Result<table::Table> verb_table(const VerbTableRequest& request,
                                report::sql::ReportDatabase& measured, const std::string& device);

}  // namespace phasebit::pipeline::lower
