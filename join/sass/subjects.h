// What the words of a command line mean: variants, kernels of PTX files, kernels of code files.
#pragma once

#include "analysis/compare/matrix.h"
#include "analysis/foreign/library.h"
#include "core/base/home.h"
#include "join/images/subjects.h"
#include "join/select/space.h"

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace phasebit::join::sass {

struct SubjectRequest {
  select::SpaceRequest space;
  images::ToolOptions tools;
  std::vector<std::string> files;  // code and PTX in place of variants
  std::string kernel;              // of files: a symbol, a C++ name, or a part; "" for all
  // None: of variants every one that ptxas knows, of PTX its own, of code files all they have.
  std::vector<std::string> targets;
  std::vector<std::string> toolchains;  // versions of ptxas; none: what each variant asks for
  std::string source;                   // of files: inner, outer or a source file; "": inner
};

// Whether a word of the command line is a file of code and not a variant: it is there as one, or as
// a folder, which its reader refuses; or it ends like one (.cubin, .fatbin, .o, .so, .so.2,
// .a); or it is PTX without heads, which is assembled when it is opened.
bool is_code_file(const std::string& word);

// Which of the two a request is about. Step::usage for options that say nothing of it, and for
// variants with code where `together` does not allow them.
struct Meant {
  std::vector<std::string> code;     // paths
  bool made = false;                 // some of it is assembled here
  bool variants = false;             // `space` names some
  select::SpaceRequest space;        // with PTX that has heads as its files
  std::vector<std::string> targets;  // of the variants; none: every one
};
Result<Meant> meant_by(const SubjectRequest& request, bool together = false);
// Step::usage for what is said of variants, or of assembling them: it says nothing of code that is
// there already.
Status refuse_variant_options(const SubjectRequest& request);

// A file of code; or what one ptxas made of a PTX file with one set of flags.
struct OpenedFile {
  foreign::CodeFile code;
  std::string label;                  // the path; of several assemblies with what tells them apart
  std::optional<isa::Version> ptxas;  // that assembled it here
};
using OpenedFiles = std::vector<std::shared_ptr<const OpenedFile>>;

// Appends what a path is. Images that were left out, and what to know of the others, are notes on
// standard error. Of the targets, where the request names any, nothing else is unpacked.
Status open_code_file(images::Tools& tools, const SubjectRequest& request, const std::string& path,
                      launch::Build build, OpenedFiles& into);
// The same of what needs no ptxas; `cuobjdump` may be empty.
Result<foreign::CodeFile> read_noted(const fs::path& cuobjdump, const isa::TargetTable& known,
                                     const std::string& path,
                                     const std::vector<std::string>& targets);

// The kernels of a request in a file; with no target every one.
Result<std::vector<foreign::CodeKernel>> kernels_in(const OpenedFile& file,
                                                    const SubjectRequest& request);

// Kernels by columns, before they are read.
struct GridRow {
  std::string name;        // the variant's id; of files the kernel's, demangled
  std::string shown = {};  // with "#2" where a column has two of one name
  std::string symbol = {};
};
struct SubjectGrid {
  bool of_files = false;
  std::vector<GridRow> rows;
  std::vector<compare::MatrixColumn> columns;
  std::vector<images::SubjectPlace> places;
  // What the places point into.
  std::vector<images::Prepared> prepared;
  space::Catalogue catalogue = {};  // of variants
  std::deque<foreign::CodeImage> modules;
  OpenedFiles files;
};

Result<SubjectGrid> open_variant_grid(images::Tools& tools, const select::SpaceRequest& space,
                                      const std::vector<images::CodeColumn>& columns, unsigned jobs,
                                      const std::string& prepared_for = {});
// In the order of the files, a column for each file, target, or both. A file without any of the
// kernels or targets asked for is an error. Nothing is disassembled.
Result<SubjectGrid> file_grid(OpenedFiles files, const SubjectRequest& request);
// Whichever the request means. With `for_target` variants are prepared for the first of its
// targets, which matters to forms.
Result<SubjectGrid> open_grid(images::Tools& tools, const SubjectRequest& request,
                              bool for_target = false);

// Reads the places of a grid, or those of its rows that are left. Kernels of files that cannot be
// read are notes on standard error too, equal ones once; an error when there is no other.
Status read_grid(images::Tools& tools, const disassembly::Disassembler& disassembler,
                 const SubjectGrid& grid, const foreign::ReadOptions& options,
                 const foreign::VisitSubject& visit);

// What is kept of each place, or why nothing is.
struct PlaceSummary {
  compare::CodeSummary code;         // with lines where a source was asked for
  std::optional<std::size_t> loops;  // nothing: not known
};
struct SummaryOptions {
  std::string source = {};  // what to count by: inner, outer or a file; "": nothing
  bool in_full = true;      // with all opcodes: of thousands they are much
};
Result<std::vector<Result<PlaceSummary>>> summarise_grid(
    images::Tools& tools, const disassembly::Disassembler& disassembler, const SubjectGrid& grid,
    const SummaryOptions& options);
// Those that are there, as cells with the names of their rows and columns.
std::vector<foreign::CodeCell> cells_of(const SubjectGrid& grid,
                                        std::vector<Result<PlaceSummary>> summaries);

// "ptxas 13.5.37", "CUDA 12.4", or "".
std::string maker_of(const cubin::Cubin& cubin);

}  // namespace phasebit::join::sass
