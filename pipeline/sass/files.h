// `phasebit sass` on code that phasebit did not make.
#pragma once

#include "analysis/compare/diff.h"
#include "analysis/compare/matrix.h"
#include "analysis/foreign/module.h"
#include "cli/commands.h"
#include "pipeline/images/tools.h"

#include <string>

namespace phasebit {

// Of variants where no target is named.
inline constexpr const char* default_target = "sm_90a";

// Whether a word of the command line is a file and not a variant: it is there as one, or ends like
// one (.cubin, .fatbin, .o, .so).
bool is_code_file(const std::string& word);

// Whether the files are PTX: then they are the space, and go the way of variants. Step::usage for
// PTX beside files of code.
Result<bool> takes_ptx(SpaceRequest& space, const std::vector<std::string>& files,
                       const std::string& kernel);

// The images that were left out are notes on standard error. cuobjdump is looked for beside
// nvdisasm.
Result<CodeFile> open_code_file(const Tools& tools, const std::string& path);

// One side of a diff, with its source lines where the file has them.
Result<DiffSide> code_side(const Tools& tools, const Disassembler& disassembler,
                           const std::string& path, const KernelQuery& query);

// What the commands print for files in place of variants.
Result<std::string> show_code_file(const SassShowOptions& options);
Result<std::string> code_matrix(const SassMatrixOptions& options, MatrixFormat format);
Result<std::string> code_classes(const SassClassesOptions& options);

}  // namespace phasebit
