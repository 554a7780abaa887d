#include "pipeline/sass/files.h"

#include "analysis/foreign/notes.h"
#include "pipeline/select/given.h"
#include "pipeline/select/ptx_files.h"

#include <algorithm>
#include <cstdio>
#include <deque>
#include <iterator>
#include <set>

#include <unistd.h>

namespace phasebit::pipeline::sass {

using disassembly::Disassembler;
using foreign::CodeFile;
using foreign::CodeKernel;
using foreign::ReadKernel;
using images::Tools;

namespace {

fs::path cuobjdump_of(const ptxas::Toolchain& toolchain) {
  const fs::path path = toolchain.nvdisasm.parent_path() / "cuobjdump";
  return ::access(path.c_str(), X_OK) == 0 ? path : fs::path();
}

// The files of a matrix or of classes, each with its kernels.
struct Chosen {
  std::deque<CodeFile> files;  // stay where they are: kernels point into them
  std::vector<std::vector<CodeKernel>> kernels;
};

// With no target every one; a file that has none of them is an error.
Result<Chosen> choose(const Tools& tools, const std::vector<std::string>& paths,
                      const std::string& kernel, const std::vector<std::string>& targets) {
  Chosen chosen;
  for (const std::string& path : paths) {
    PHASEBIT_TRY_ASSIGN(file, open_code_file(tools, path, targets));
    chosen.files.push_back(std::move(file));
    std::vector<CodeKernel> kernels;
    for (const std::string& target : targets.empty() ? std::vector<std::string>{""} : targets) {
      PHASEBIT_TRY_ASSIGN(found, foreign::find_kernels(chosen.files.back(), {kernel, target}));
      kernels.insert(kernels.end(), found.begin(), found.end());
    }
    chosen.kernels.push_back(std::move(kernels));
  }
  return chosen;
}

std::string kernel_name(const CodeKernel& one) {
  const std::string text = cubin::source::demangled(one.kernel->entry);
  return text.empty() ? one.kernel->entry : text;
}

// Those that can be read; an error when none can.
struct Readable {
  std::vector<ReadKernel> kernels;
  std::vector<CodeKernel> of;
};

Result<Readable> read_readable(const Disassembler& disassembler, const std::string& path,
                               const std::vector<CodeKernel>& kernels) {
  Readable readable;
  std::vector<foreign::ImageNote> notes;
  std::vector<Result<ReadKernel>> all = foreign::read_each_code_kernel(disassembler, kernels);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i]) {
      std::string why = all[i].error().message;
      const std::string image = kernels[i].image->name + ": ";
      if (why.starts_with(image)) why.erase(0, image.size());  // equal ones are said once
      notes.push_back({kernel_name(kernels[i]), std::move(why)});
      continue;
    }
    readable.kernels.push_back(std::move(*all[i]));
    readable.of.push_back(kernels[i]);
  }
  if (readable.kernels.empty())
    for (const Result<ReadKernel>& one : all) return tl::unexpected<Error>(one.error());
  for (const std::string& note : foreign::fold_notes(path, notes, "kernels"))
    fmt::print(stderr, "note: left out: {}\n", note);
  return readable;
}

// The file where there are several, by its last part where that says which; the target where there
// are several.
class Columns {
 public:
  explicit Columns(const Chosen& chosen) {
    std::multiset<std::string> bases;
    for (const CodeFile& file : chosen.files) bases.insert(fs::path(file.path).filename());
    several_files_ = chosen.files.size() > 1;
    for (const CodeFile& file : chosen.files) {
      const std::string base = fs::path(file.path).filename();
      names_.push_back(bases.count(base) == 1 ? base : file.path);
    }
    for (const auto& kernels : chosen.kernels)
      for (const CodeKernel& one : kernels) targets_.insert(one.image->cubin.target);
  }
  std::string name(std::size_t file, const std::string& target) const {
    if (!several_files_) return target;
    return targets_.size() > 1 ? names_[file] + " " + target : names_[file];
  }

 private:
  bool several_files_ = false;
  std::vector<std::string> names_;
  std::set<std::string> targets_;
};

}  // namespace

bool is_code_file(const std::string& word) {
  if (select::is_ptx_file(word)) return false;
  std::error_code none;
  for (const char* end : {".cubin", ".fatbin", ".o", ".so", ".a"})
    if (word.ends_with(end)) return true;
  if (word.find(".so.") != std::string::npos) return true;  // with a version
  return fs::is_regular_file(word, none);
}

Result<CodeFile> open_code_file(const Tools& tools, const std::string& path,
                                const std::vector<std::string>& targets) {
  auto file = foreign::read_code_file(path, cuobjdump_of(tools.toolchain), tools.targets, targets);
  if (!file) return file;
  for (const std::string& note : file->notes) fmt::print(stderr, "note: left out: {}\n", note);
  for (const std::string& remark : file->remarks) fmt::print(stderr, "note: {}\n", remark);
  return file;
}

Result<compare::DiffSide> code_side(const Disassembler& disassembler, const CodeFile& file,
                                    const foreign::KernelQuery& query,
                                    const cubin::source::SourceView& view) {
  PHASEBIT_TRY_ASSIGN(found, foreign::find_kernel(file, query));
  PHASEBIT_TRY_ASSIGN(read, foreign::read_code_kernels(disassembler, {found}, view));
  ReadKernel& one = read.front();
  return compare::DiffSide{
      one.name, found.image->cubin.sm, std::move(one.kernel), std::move(one.source), {}, false, {},
      true};
}

Result<bool> takes_ptx(select::SpaceRequest& space, const std::vector<std::string>& files,
                       const std::string& kernel) {
  const auto ptx = std::count_if(files.begin(), files.end(), select::is_ptx_file);
  if (ptx == 0) return false;
  if (static_cast<std::size_t>(ptx) != files.size())
    return with_hint(fail(Step::usage, "{}: PTX beside files of code", fmt::join(files, ", ")),
                     "assemble it first, or compare two at a time with `sass diff`");
  space.files = files;
  space.kernel = kernel;
  return true;
}

Status refuse_variant_options(const select::SpaceRequest& space, const images::ToolOptions& tools) {
  PHASEBIT_TRY(
      select::take_only(space, {}, "files are no variants", "choose with --kernel and --target"));
  const images::ToolOptions none;
  if (tools.max_registers != none.max_registers ||
      tools.max_shared_bytes != none.max_shared_bytes ||
      tools.max_spill_bytes != none.max_spill_bytes)
    return fail(Step::usage,
                "--max-registers and the like are for what is assembled, not for files");
  return {};
}

Result<PlacedKernels> place_kernels(const Tools& tools, const std::vector<std::string>& paths,
                                    const std::string& kernel,
                                    const std::vector<std::string>& targets) {
  PHASEBIT_TRY_ASSIGN(chosen, choose(tools, paths, kernel, targets));
  const Columns columns(chosen);
  PlacedKernels placed;
  for (std::size_t file = 0; file < chosen.files.size(); ++file)
    for (const CodeKernel& one : chosen.kernels[file])
      placed.kernels.push_back(
          {file, one, kernel_name(one), columns.name(file, one.image->cubin.target)});
  placed.files = std::move(chosen.files);
  return placed;
}

Result<std::vector<foreign::CodeCell>> read_code_files(const Tools& tools,
                                                       const Disassembler& disassembler,
                                                       const std::vector<std::string>& paths,
                                                       const std::string& kernel,
                                                       const std::vector<std::string>& targets) {
  PHASEBIT_TRY_ASSIGN(chosen, choose(tools, paths, kernel, targets));
  const Columns columns(chosen);
  std::vector<foreign::CodeCell> cells;
  for (std::size_t file = 0; file < chosen.files.size(); ++file) {
    PHASEBIT_TRY_ASSIGN(readable, read_readable(disassembler, paths[file], chosen.kernels[file]));
    for (std::size_t i = 0; i < readable.of.size(); ++i) {
      const cubin::Cubin& cubin = readable.of[i].image->cubin;
      const ReadKernel& read = readable.kernels[i];
      cells.push_back({kernel_name(readable.of[i]), columns.name(file, cubin.target),
                       compare::summarise(cubin.sm, read.kernel, read.source, {}),
                       read.loops.count()});
    }
  }
  return cells;
}

}  // namespace phasebit::pipeline::sass
