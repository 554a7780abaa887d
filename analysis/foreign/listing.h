// `sass show FILE`: one kernel of a code file.
#pragma once

#include "analysis/foreign/module.h"
#include "analysis/listing/listing.h"
#include "analysis/reading/notes.h"

#include <string>

namespace phasebit::foreign {

// What to show, and what is known of the kernel beside its code.
struct CodeListingRequest {
  listing::ListingFormat format = listing::ListingFormat::text;
  std::string disassembler = {};                // its version
  reading::Excerpt excerpt = {};                // no verb: that is of variants
  bool waits = false;                           // what each wait for a scoreboard is for
  bool flow = false;                            // the flow graph for Graphviz in its place
  std::vector<reading::PtxLine> ptx = {};       // by instruction; empty: not asked for
  std::vector<const ReadKernel*> callees = {};  // functions of other sections that it calls
  bool full_names = false;                      // long names whole; JSON always has them so
};

// Text: a line for each instruction (address, control fields, depth of the loops around it,
// instruction, source line), then a row for each source line, each loop (of callees too), and a
// summary. The NOPs behind the last branch are left out. Step::usage when the excerpt is nothing.
//
// JSON: {"schema", "name", "entry", "demangled", "target", "sm", "made_by", "disassembler",
// "text_hash", "registers", "static_shared_bytes", "code_bytes", "kernel": counts, "source_files":
// [path], "frames": [{"file", "line", "function": the inlined function that holds the line, "" of
// an outermost line, "caller": number of the frame that it was inlined into, null of an
// outermost}], "lines": [{"line": "k.cu:12", "counts"}], "loops": see loops_json.h,
// "loops_problem", "instructions": [an instruction of instruction_json.h with "file", "line",
// "frame": number of its innermost line or null, "loop_depth", "waits_for": see notes.h; with
// "live" and "ptx": {"line", "text"} where they were asked for]}; counts as in features_json.h.
Result<std::string> list_code(const ReadKernel& kernel, const CodeKernel& of,
                              const CodeListingRequest& request);

}  // namespace phasebit::foreign
