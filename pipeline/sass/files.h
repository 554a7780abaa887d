// Code files in the place of variants.
#pragma once

#include "analysis/compare/diff.h"
#include "analysis/foreign/classes.h"
#include "analysis/foreign/module.h"
#include "pipeline/images/tools.h"
#include "pipeline/select/space.h"

#include <deque>
#include <string>
#include <vector>

namespace phasebit {

// Of variants where no target is named.
inline constexpr const char* default_target = "sm_90a";

// Whether a word of the command line is a file and not a variant: it is there as one, or ends like
// one (.cubin, .fatbin, .o, .so, .so.2, .a).
bool is_code_file(const std::string& word);

// Whether the files are PTX: then they are the space, and go the way of variants. Step::usage for
// PTX beside files of code.
Result<bool> takes_ptx(SpaceRequest& space, const std::vector<std::string>& files,
                       const std::string& kernel);

// The images that were left out, and what to know of the others, are notes on standard error. Of
// `targets`, where it names any, nothing else is unpacked. cuobjdump is looked for beside nvdisasm.
Result<CodeFile> open_code_file(const Tools& tools, const std::string& path,
                                const std::vector<std::string>& targets = {});

// One side of a diff, with its source lines where the file has them.
Result<DiffSide> code_side(const Disassembler& disassembler, const CodeFile& file,
                           const KernelQuery& query, const SourceView& view = {});

// Step::usage for what is said of variants, or of assembling them: it says nothing of files.
Status refuse_variant_options(const SpaceRequest& space, const ToolOptions& tools);

// A kernel of a file, and where it stands among those of several files.
struct PlacedKernel {
  std::size_t file = 0;  // of PlacedKernels::files
  CodeKernel kernel;
  std::string name;    // demangled, where it is a C++ name
  std::string column;  // the file, the target, or both
};
struct PlacedKernels {
  std::deque<CodeFile> files;  // stay where they are: kernels point into them
  std::vector<PlacedKernel> kernels;
};

// In the order of the files. With no target every one; a file that has none of those asked for is
// an error. Nothing is disassembled.
Result<PlacedKernels> place_kernels(const Tools& tools, const std::vector<std::string>& paths,
                                    const std::string& kernel,
                                    const std::vector<std::string>& targets);

// The kernels of some files side by side. With no target every one; a file that has none of those
// asked for is an error. Kernels that cannot be read are notes on standard error, as long as there
// are others.
Result<std::vector<CodeCell>> read_code_files(const Tools& tools, const Disassembler& disassembler,
                                              const std::vector<std::string>& paths,
                                              const std::string& kernel,
                                              const std::vector<std::string>& targets);

}  // namespace phasebit
