#include "pipeline/sass/files.h"

#include "analysis/foreign/file.h"
#include "core/base/parallel.h"
#include "pipeline/select/choices.h"
#include "pipeline/select/ptx_files.h"

#include <algorithm>
#include <cstdio>
#include <deque>
#include <optional>
#include <set>

namespace phasebit::pipeline::sass {

using disassembly::Disassembler;
using foreign::CodeFile;
using foreign::CodeKernel;
using foreign::ReadKernel;
using images::Tools;

namespace {

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
  return foreign::full_kernel_name(one.kernel->entry);
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
  if (word.find(".so.") != std::string::npos) return true;                 // with a version
  return fs::is_regular_file(word, none) || fs::is_directory(word, none);  // which is then refused
}

Result<CodeFile> open_code_file(const fs::path& cuobjdump, const isa::TargetTable& known,
                                const std::string& path, const std::vector<std::string>& targets) {
  auto file = foreign::read_code_file(path, cuobjdump, known, targets);
  if (!file) return file;
  for (const std::string& note : file->notes) fmt::print(stderr, "note: left out: {}\n", note);
  for (const std::string& remark : file->remarks) fmt::print(stderr, "note: {}\n", remark);
  return file;
}

Result<CodeFile> open_code_file(const Tools& tools, const std::string& path,
                                const std::vector<std::string>& targets) {
  return open_code_file(ptxas::cuobjdump_next_to(tools.toolchain.nvdisasm), tools.targets, path,
                        targets);
}

Result<compare::DiffSide> code_side(const Disassembler& disassembler, const CodeFile& file,
                                    const foreign::KernelQuery& query,
                                    const cubin::source::SourceView& view, bool full_name) {
  PHASEBIT_TRY_ASSIGN(found, foreign::find_kernel(file, query));
  PHASEBIT_TRY_ASSIGN(read, foreign::read_code_kernels(disassembler, {found}, view));
  ReadKernel& one = read.front();
  return compare::DiffSide{foreign::title_of(found, full_name),
                           found.image->cubin.sm,
                           std::move(one.kernel),
                           std::move(one.source),
                           {},
                           false,
                           {},
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

std::vector<Result<ReadKernel>> read_or_note(const Disassembler& disassembler,
                                             const std::string& path,
                                             const std::vector<CodeKernel>& kernels,
                                             const cubin::source::SourceView& view) {
  std::vector<Result<ReadKernel>> all = foreign::read_each_code_kernel(disassembler, kernels, view);
  std::vector<foreign::ImageNote> notes;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i]) continue;
    std::string why = all[i].error().message;
    const std::string image = kernels[i].image->name + ": ";
    if (why.starts_with(image)) why.erase(0, image.size());  // equal ones are said once
    notes.push_back({kernel_name(kernels[i]), std::move(why)});
  }
  for (const std::string& note : foreign::fold_notes(path, notes, "kernels"))
    fmt::print(stderr, "note: left out: {}\n", note);
  return all;
}

Result<std::vector<foreign::CodeCell>> read_code_files(const Tools& tools,
                                                       const Disassembler& disassembler,
                                                       const KernelChoice& choice) {
  PHASEBIT_TRY_ASSIGN(chosen, choose(tools, choice.paths, choice.kernel, choice.targets));
  const Columns columns(chosen);
  std::vector<foreign::CodeCell> cells;
  std::optional<Error> problem;
  for (std::size_t file = 0; file < chosen.files.size(); ++file) {
    const std::vector<CodeKernel>& kernels = chosen.kernels[file];
    const auto all = read_or_note(disassembler, choice.paths[file], kernels,
                                  cubin::source::source_view(choice.source));
    std::vector<std::optional<foreign::CodeCell>> made(all.size());
    base::parallel_for(all.size(), 0, [&](std::size_t i) {
      if (!all[i]) return;
      const cubin::Cubin& cubin = kernels[i].image->cubin;
      made[i] = foreign::CodeCell{kernel_name(kernels[i]), columns.name(file, cubin.target),
                                  compare::summarise(cubin.sm, all[i]->kernel, all[i]->source, {}),
                                  all[i]->loops.count()};
      if (!choice.source.empty()) made[i]->code.lines = foreign::summarise_lines(*all[i]);
    });
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (made[i]) cells.push_back(std::move(*made[i]));
      if (!all[i] && !problem) problem = all[i].error();
    }
  }
  if (cells.empty() && problem) return tl::unexpected<Error>(std::move(*problem));
  return cells;
}

}  // namespace phasebit::pipeline::sass
