// Code files in the place of variants.
#pragma once

#include "analysis/compare/diff.h"
#include "analysis/foreign/library.h"
#include "analysis/foreign/module.h"
#include "pipeline/images/tools.h"
#include "pipeline/select/space.h"

#include <deque>
#include <string>
#include <vector>

namespace phasebit::pipeline::sass {

// Of variants where no target is named.
inline constexpr const char* default_target = "sm_90a";

// Whether a word of the command line is a file and not a variant: it is there as one, or as a
// folder, which whoever reads it refuses; or it ends like one (.cubin, .fatbin, .o, .so, .so.2,
// .a).
bool is_code_file(const std::string& word);

// Whether the files are PTX: then they are the space, and go the way of variants. Step::usage for
// PTX beside files of code.
Result<bool> takes_ptx(select::SpaceRequest& space, const std::vector<std::string>& files,
                       const std::string& kernel);

// The images that were left out, and what to know of the others, are notes on standard error. Of
// `targets`, where it names any, nothing else is unpacked. `cuobjdump` may be empty; of the tools
// it is looked for beside nvdisasm.
Result<foreign::CodeFile> open_code_file(const fs::path& cuobjdump, const isa::TargetTable& known,
                                         const std::string& path,
                                         const std::vector<std::string>& targets);
Result<foreign::CodeFile> open_code_file(const images::Tools& tools, const std::string& path,
                                         const std::vector<std::string>& targets = {});

// One side of a diff, with its source lines where the file has them.
Result<compare::DiffSide> code_side(const disassembly::Disassembler& disassembler,
                                    const foreign::CodeFile& file,
                                    const foreign::KernelQuery& query,
                                    const cubin::source::SourceView& view = {},
                                    bool full_name = false);

// Step::usage for what is said of variants, or of assembling them: it says nothing of files.
Status refuse_variant_options(const select::SpaceRequest& space, const images::ToolOptions& tools);

// A kernel of a file, and where it stands among those of several files.
struct PlacedKernel {
  std::size_t file = 0;  // of PlacedKernels::files
  foreign::CodeKernel kernel;
  std::string name;    // demangled, where it is a C++ name
  std::string column;  // the file, the target, or both
};
struct PlacedKernels {
  std::deque<foreign::CodeFile> files;  // stay where they are: kernels point into them
  std::vector<PlacedKernel> kernels;
};

// In the order of the files. With no target every one; a file that has none of those asked for is
// an error. Nothing is disassembled.
Result<PlacedKernels> place_kernels(const images::Tools& tools,
                                    const std::vector<std::string>& paths,
                                    const std::string& kernel,
                                    const std::vector<std::string>& targets);

// Kernels of one file, in their order. Those that cannot be read are errors in their places, and
// notes on standard error, equal ones once.
std::vector<Result<foreign::ReadKernel>> read_or_note(
    const disassembly::Disassembler& disassembler, const std::string& path,
    const std::vector<foreign::CodeKernel>& kernels, const cubin::source::SourceView& view = {});

// Which kernels of which files are meant.
struct KernelChoice {
  std::vector<std::string> paths;
  std::string kernel;                // "" for all
  std::vector<std::string> targets;  // none: every one
  std::string source;                // what a source line is, to count by it; "": nobody asked
};

// The kernels of some files side by side. A file that has none of the targets asked for is an
// error. Kernels that cannot be read are notes on standard error, as long as there are others.
Result<std::vector<foreign::CodeCell>> read_code_files(
    const images::Tools& tools, const disassembly::Disassembler& disassembler,
    const KernelChoice& choice);

}  // namespace phasebit::pipeline::sass
