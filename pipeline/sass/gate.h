// The expectations of a file, held against variants or the kernels of code files.
#pragma once

#include "analysis/cubin/source/lines.h"
#include "analysis/gate/expectation_file.h"
#include "analysis/gate/expectations.h"
#include "pipeline/images/tools.h"
#include "pipeline/select/space.h"

#include <string>
#include <vector>

namespace phasebit::pipeline::sass {

struct GateRequest {
  select::SpaceRequest space;
  images::ToolOptions tools;
  std::string file;                     // of expectations
  std::vector<std::string> files;       // code or PTX; empty: those that the rules file names
  std::string source;                   // of files: inner, outer or a source file; "": inner
  bool full_names = false;              // of files: long names whole
  std::vector<std::string> targets;     // empty: those of the rules file, else every one
  std::vector<std::string> toolchains;  // versions of ptxas; empty: what each variant asks for
};
Result<gate::GateReport> sass_gate(const GateRequest& request);

// The kernels of code files as the rules of `sass gate` see them.

// The files that shell patterns name, in the order of the patterns, each once; a pattern counts
// from `folder` unless it is a path from the root. Step::usage for one that fits no file.
Result<std::vector<std::string>> expand_files(const std::vector<std::string>& patterns,
                                              const std::string& folder);

// Every kernel of some targets (none: of all) of the files. Only those that a rule speaks of are
// read; of the others no more than their names is known. Of code that was inlined the line is the
// one that `view` asks for; code of an image without the file of the view has no lines. Step::usage
// for a target of which no file has code. Long names are shortened unless they are asked for.
Result<std::vector<gate::GateSubject>> subjects_of_files(
    const images::Tools& tools, const disassembly::Disassembler& disassembler,
    const std::vector<std::string>& paths, const std::vector<std::string>& targets,
    const std::vector<gate::Expectation>& rules, const cubin::source::SourceView& view = {},
    bool full_names = false);

}  // namespace phasebit::pipeline::sass
