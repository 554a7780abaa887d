// The kernels of code files as the rules of `sass gate` see them.
#pragma once

#include "analysis/cubin/source/view.h"
#include "analysis/gate/expectation.h"
#include "pipeline/images/tools.h"

#include <string>
#include <vector>

namespace phasebit::pipeline::sass {

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
