// `sass show FILE`: one kernel of a code file.
#pragma once

#include "analysis/foreign/module.h"
#include "analysis/listing/listing.h"

#include <string>

namespace phasebit {

// Text: a line for each instruction (address, control fields, depth of the loops around it,
// instruction, source line), then a row for each source line, each loop, and a summary. The NOPs
// behind the last branch are left out.
//
// JSON: {"name", "entry", "demangled", "target", "sm", "made_by", "disassembler", "text_hash",
// "registers", "static_shared_bytes", "code_bytes", "kernel": counts, "source_files": [path],
// "frames": [{"file", "line", "function": the inlined function that holds the line, "" of an
// outermost line, "caller": number of the frame that it was inlined into, null of an outermost}],
// "lines": [{"line": "k.cu:12", "counts"}], "loops": [{"begin", "end", "depth", "lines", "own",
// "inner": counts}], "loops_problem", "instructions": [an instruction of instruction_json.h with
// "file", "line", "frame": number of its innermost line or null, "loop_depth"]}; counts as in
// features_json.h.
std::string list_code(const ReadKernel& kernel, const CodeKernel& of,
                      const std::string& disassembler, ListingFormat format);

}  // namespace phasebit
