// Verb by verb: what is in the IR, what LLVM makes of it, and what that costs against the
// templates' PTX.
#pragma once

#include "analysis/report/sql/database.h"
#include "core/base/table.h"
#include "gen/kernel/render.h"
#include "join/images/tools.h"

#include <string>
#include <string_view>
#include <vector>

namespace phasebit::join::lower {

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
Result<base::Table> verb_table(const VerbTableRequest& request);

// The same of results at hand: `device` first, then the other models of them.
Result<base::Table> verb_table(const VerbTableRequest& request,
                               report::sql::ReportDatabase& measured, const std::string& device);

// What an LLVM made of a verb, a function of PTX, as other texts.

// Its statements, a line each and without comments; an inline asm of several is taken apart.
std::vector<std::string> statements_of(const std::string& ptx);

// What the verb became: its instructions without what only brings its arguments.
std::string instructions_of(const std::string& ptx);

// The function as a kernel of `target`, which ptxas assembles alone: what old LLVMs wrote for old
// targets too. What it returns is stored to local memory.
std::string as_kernel(const std::string& ptx, const std::string& target);

// The function's body as a user's text for a verb of the templates (templates/README.md).
// `arguments` say what its parameters are, in their order: "full_barrier", "empty_barrier",
// "parity". `heading` are its first lines: comments with what its SASS must be.
std::string as_snippet(const std::string& ptx, const std::vector<std::string>& arguments,
                       const std::string& heading);

// What a verb is in IR and in PTX: the statements that synchronise or move data, each kind once.

// Calls of NVVM intrinsics by their names without `llvm.nvvm.`, other instructions as they are
// without result and operands: "mbarrier.arrive.scope.cta.space.cta", "atomicrmw add
// syncscope("block") release". Of the verb in the first role that has it.
std::vector<std::string> spoken_ir(const kernel::Rendered& ir, const std::string& verb);

// "mbarrier.try_wait.parity.shared.b64 %p1, [%r1], %r2": opcodes with the fact `speaks` of
// core/isa/ptx_opcodes.toml, without guards.
std::vector<std::string> spoken_ptx(const kernel::Rendered& ptx, const std::string& verb);

// The opcodes and which operands are registers, literals or left out: what two spellings of one
// instruction have alike.
std::string shape_of(const std::vector<std::string>& ptx);

}  // namespace phasebit::join::lower
