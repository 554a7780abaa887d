// `sass show`: one kernel with its control fields, and what each instruction belongs to: a verb of
// a role, or a source line.
#pragma once

#include "analysis/cubin/source/lines.h"
#include "analysis/reading/notes.h"
#include "analysis/reading/subject.h"
#include "core/launch/facts.h"

#include <optional>
#include <string>
#include <vector>

namespace phasebit::listing {

enum class ListingFormat { text, json };

// What to show, and what is known of the kernel apart from its code.
struct ListingRequest {
  ListingFormat format = ListingFormat::text;
  std::string disassembler = {};  // its version
  std::string made_by = {};       // "ptxas 13.5.37", or ""
  reading::Excerpt excerpt = {};
  bool waits = false;                                 // what each wait for a scoreboard is for
  bool flow = false;                                  // the flow graph for Graphviz in its place
  std::vector<reading::PtxLine> ptx = {};             // by instruction; empty: not asked for
  std::vector<reading::FunctionLoops> callees = {};   // functions of other sections that it calls
  const cubin::source::SourceTable* table = nullptr;  // of what has lines: that of its image
  std::optional<isa::Target> target = {};             // of what has verbs: for its features
  launch::GateResult gate = {};                       // the same
};

// Text: a line for each instruction (address, control fields, live registers; role, verb and heat,
// or the depth of the loops around it; the instruction; template or source line), then what its
// regions cost: windows, or a row for each source line; a row for each loop (of callees too); live
// registers, resources, and a summary. The NOPs after the last branch are left out. Step::usage
// when the excerpt is nothing.
//
// JSON: {"schema", "name", "entry", "demangled", "target", "sm", "made_by", "disassembler",
// "text_hash", "loops": see loops_json.h, "loops_problem", "instructions"}. With verbs also "gate":
// {"verdict", "reason"}, "windows", "features": see features_json.h; an instruction has
// "statement", "verb", "role", "template", "template_line", "window", "heat". With lines
// "registers", "static_shared_bytes", "code_bytes", "kernel": counts, "source_files": [path],
// "frames": [{"file", "line", "function": the inlined function that holds the line, "" of an
// outermost line, "caller": number of the frame that it was inlined into, null of an outermost}],
// "lines": [{"line": "k.cu:12", "counts"}]; an instruction has "file", "line", "frame": number of
// its innermost line or null, "loop_depth". Both may have "waits_for" (see notes.h), "live" and
// "ptx": {"line", "text"}.
Result<std::string> list_subject(const reading::CodeSubject& subject,
                                 const ListingRequest& request);

}  // namespace phasebit::listing
