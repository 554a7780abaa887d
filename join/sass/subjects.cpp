#include "join/sass/subjects.h"

#include "core/base/text.h"
#include "core/launch/external.h"
#include "join/select/choices.h"
#include "join/select/open_space.h"
#include "join/select/ptx_files.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <mutex>
#include <set>

namespace phasebit::join::sass {

using disassembly::Disassembler;
using foreign::CodeFile;
using foreign::CodeImage;
using foreign::CodeKernel;
using images::CodeColumn;
using images::Prepared;
using images::SubjectPlace;
using images::Tools;
using reading::CodeSubject;

bool is_code_file(const std::string& word) {
  if (select::is_ptx_file(word)) return select::lacks_heads(word);
  std::error_code none;
  for (const char* end : {".cubin", ".fatbin", ".o", ".so", ".a"})
    if (word.ends_with(end)) return true;
  if (word.find(".so.") != std::string::npos) return true;                 // with a version
  return fs::is_regular_file(word, none) || fs::is_directory(word, none);  // which is then refused
}

Status refuse_variant_options(const SubjectRequest& request) {
  if (!request.toolchains.empty())
    return fail(Step::usage, "--toolchain is for variants, not for files");
  PHASEBIT_TRY(select::take_only(request.space, {}, "files are not variants",
                                 "choose with --kernel and --target"));
  const images::ToolOptions none, &tools = request.tools;
  if (tools.max_registers != none.max_registers ||
      tools.max_shared_bytes != none.max_shared_bytes ||
      tools.max_spill_bytes != none.max_spill_bytes)
    return fail(Step::usage,
                "--max-registers and the like are for what is assembled, not for files");
  return {};
}

namespace {

void note(const CodeFile& file) {
  for (const std::string& one : file.notes) fmt::print(stderr, "note: left out: {}\n", one);
  for (const std::string& remark : file.remarks) fmt::print(stderr, "note: {}\n", remark);
}

// A PTX file, assembled for each target by each ptxas that is asked for.
class PtxOpener {
 public:
  PtxOpener(Tools& tools, const SubjectRequest& request, std::string path, launch::Build build)
      : tools_(tools), request_(request), path_(std::move(path)), build_(build) {}

  Status open(OpenedFiles& into) {
    std::vector<std::string> targets = request_.targets;
    if (targets.empty()) targets.push_back(select::default_target(path_));
    PHASEBIT_TRY_ASSIGN(chosen, images::chosen_targets(tools_.toolchain, targets));
    PHASEBIT_TRY_ASSIGN(columns, images::columns_of(tools_, chosen, request_.toolchains));
    select::SpaceRequest space_request = request_.space;
    space_request.files = {path_};
    PHASEBIT_TRY_ASSIGN(space, select::open_space(space_request));
    PHASEBIT_TRY_ASSIGN(prepared, images::prepare(space, build_, request_.tools.jobs));
    const std::vector<Prepared> ones = representatives(prepared);
    images::VariantPlaces made = images::open_variants(tools_, ones, columns, true);
    std::map<std::pair<std::size_t, std::string>, OpenedFile> files;  // by row and ptxas
    for (SubjectPlace& place : made.places) {
      OpenedFile& file = files[{place.row, place.in.ptxas}];
      PHASEBIT_TRY(add(place, file));
    }
    for (auto& [by, file] : files) {
      file.label = path_;
      if (ones.size() > 1) file.label += choice_text(ones[by.first]);
      if (!by.second.empty()) file.label += " ptxas " + by.second;
      for (CodeImage& image : file.code.images) image.name = file.label;
      note(file.code);
      if (file.code.images.empty()) return tl::unexpected<Error>(refused_.at(by));
      into.push_back(std::make_shared<const OpenedFile>(std::move(file)));
    }
    return {};
  }

 private:
  // A module has all kernels of the file: one for each choice of ptxas and flags. Limits are
  // checked for each kernel.
  std::vector<Prepared> representatives(const std::vector<Prepared>& prepared) {
    const ptxas::ResourceLimits& limits = tools_.options.limits;
    const bool each = limits.max_registers || limits.max_shared_bytes || limits.max_spill_bytes;
    std::vector<Prepared> ones;
    std::set<std::string> choices;
    for (const Prepared& one : prepared) {
      entries_.insert(one.kernel.entry);
      const bool meant = request_.kernel.empty() || is_called(one.kernel.entry);
      if (meant && choices.insert(each ? one.key.id : choice_text(one)).second) ones.push_back(one);
    }
    return ones.empty() ? std::vector<Prepared>{prepared.front()} : ones;
  }
  bool is_called(const std::string& entry) const {
    const foreign::Names names = foreign::names_of(entry);
    return entry.find(request_.kernel) != std::string::npos ||
           names.text.find(request_.kernel) != std::string::npos;
  }
  // "/opt_level=1": what the key has after the text's.
  static std::string choice_text(const Prepared& one) {
    return one.key.text_id.empty() ? "" : one.key.id.substr(one.key.text_id.size());
  }

  Status add(SubjectPlace& place, OpenedFile& file) {
    file.code.path = path_;
    if (!place.code) {
      file.code.notes.push_back(
          fmt::format("{} for {}: {}", path_, place.in.name(), place.code.error().message));
      refused_.try_emplace({place.row, place.in.ptxas}, place.code.error());
      return {};
    }
    PHASEBIT_TRY_ASSIGN(toolchain,
                        tools_.toolchain_of(images::choice_of(*place.variant, place.in).ptxas));
    file.ptxas = toolchain->version;
    CodeImage image = *place.code->image;
    for (cubin::CubinKernel& kernel : image.cubin.kernels)
      kernel.is_entry = kernel.is_entry && entries_.contains(kernel.entry);
    file.code.images.push_back(std::move(image));
    return {};
  }

  Tools& tools_;
  const SubjectRequest& request_;
  std::string path_;
  launch::Build build_;
  std::set<std::string> entries_;  // that the filter leaves
  std::map<std::pair<std::size_t, std::string>, Error> refused_;
};

}  // namespace

Result<CodeFile> read_noted(const fs::path& cuobjdump, const isa::TargetTable& known,
                            const std::string& path, const std::vector<std::string>& targets) {
  auto file = foreign::read_code_file(path, cuobjdump, known, targets);
  if (file) note(*file);
  return file;
}

Status open_code_file(Tools& tools, const SubjectRequest& request, const std::string& path,
                      launch::Build build, OpenedFiles& into) {
  if (select::is_ptx_file(path)) return PtxOpener(tools, request, path, build).open(into);
  PHASEBIT_TRY_ASSIGN(file, read_noted(ptxas::cuobjdump_next_to(tools.toolchain.nvdisasm),
                                       tools.targets, path, request.targets));
  into.push_back(
      std::make_shared<const OpenedFile>(OpenedFile{std::move(file), path, std::nullopt}));
  return {};
}

Result<std::vector<CodeKernel>> kernels_in(const OpenedFile& file, const SubjectRequest& request) {
  // All that was assembled of PTX was asked for.
  std::vector<std::string> targets = file.ptxas ? std::vector<std::string>() : request.targets;
  if (targets.empty()) targets.emplace_back();
  std::vector<CodeKernel> all;
  for (const std::string& target : targets) {
    PHASEBIT_TRY_ASSIGN(found, foreign::find_kernels(file.code, {request.kernel, target}));
    all.insert(all.end(), found.begin(), found.end());
  }
  return all;
}

Result<Meant> meant_by(const SubjectRequest& request, bool together) {
  Meant meant;
  meant.space = request.space;
  meant.targets = request.targets;
  std::vector<std::string> headed;
  for (const std::string& file : request.files) {
    const bool code = is_code_file(file);
    (select::is_ptx_file(file) && !code ? headed : meant.code).push_back(file);
    meant.made = meant.made || select::is_ptx_file(file);
  }
  if (!headed.empty() && !meant.code.empty() && !together)
    return with_hint(
        fail(Step::usage, "{}: PTX with heads and files of code together", fmt::join(headed, ", ")),
        "it is variants: compare two at a time with `sass diff`");
  meant.variants = request.files.empty() || !headed.empty();
  if (!headed.empty()) {
    meant.space.files = headed;
    meant.space.kernel = request.kernel;
    for (const std::string& file : headed)
      if (const std::string target = select::default_target(file);
          request.targets.empty() &&
          std::find(meant.targets.begin(), meant.targets.end(), target) == meant.targets.end())
        meant.targets.push_back(target);
  }
  if (request.files.empty() && !request.kernel.empty())
    return fail(Step::usage, "--kernel {}: it is for files, and there is none", request.kernel);
  if (meant.code.empty() && !request.source.empty())
    return fail(Step::usage, "--source is for code files, and there are none");
  if (!meant.code.empty() && !meant.made && !together)
    PHASEBIT_TRY(refuse_variant_options(request));
  return meant;
}

namespace {

// Short where all columns have the same target or ptxas.
std::vector<compare::MatrixColumn> name_columns(const std::vector<CodeColumn>& columns,
                                                const std::string& default_ptxas) {
  std::set<std::string> targets, versions;
  for (const CodeColumn& column : columns) {
    targets.insert(column.target);
    versions.insert(column.ptxas);
  }
  std::vector<compare::MatrixColumn> named;
  for (const CodeColumn& column : columns) {
    const std::string version = column.ptxas.empty() ? default_ptxas : column.ptxas;
    std::string name = column.target + " " + version;
    if (versions.size() == 1) name = column.target;
    if (versions.size() > 1 && targets.size() == 1) name = version;
    named.push_back({name, column.target, version});
  }
  return named;
}

// The file where there are several, by its last part where that says which; the target where there
// are several.
class FileColumns {
 public:
  FileColumns(const OpenedFiles& files, const std::vector<std::vector<CodeKernel>>& kernels) {
    std::multiset<std::string> bases;
    for (const auto& file : files) bases.insert(base_of(*file));
    several_files_ = files.size() > 1;
    for (const auto& file : files)
      names_.push_back(bases.count(base_of(*file)) == 1 ? base_of(*file) : file->label);
    for (const auto& those : kernels)
      for (const CodeKernel& one : those) targets_.insert(one.image->cubin.target);
  }
  std::string name(std::size_t file, const std::string& target) const {
    if (!several_files_) return target;
    return targets_.size() > 1 ? names_[file] + " " + target : names_[file];
  }

 private:
  static std::string base_of(const OpenedFile& file) {
    return fs::path(file.code.path).filename().string() + file.label.substr(file.code.path.size());
  }
  bool several_files_ = false;
  std::vector<std::string> names_;
  std::set<std::string> targets_;
};

// Puts kernels of files into rows and columns. Two of one name in one column (of unnamed
// namespaces) are rows of their own.
class GridMaker {
 public:
  explicit GridMaker(SubjectGrid& grid) : grid_(grid) {}

  void add(const CodeKernel& kernel, const std::string& column_name) {
    const std::string name = foreign::full_kernel_name(kernel.kernel->entry);
    const auto [column, new_column] = columns_.emplace(column_name, grid_.columns.size());
    if (new_column) grid_.columns.push_back({column_name, {}, {}});
    const std::size_t which = seen_[{name, column->second}]++;
    const auto [row, new_row] = rows_.emplace(std::pair(name, which), grid_.rows.size());
    if (new_row)
      grid_.rows.push_back(
          {name, which == 0 ? name : fmt::format("{} #{}", name, which + 1), kernel.kernel->entry});
    SubjectPlace& place = grid_.places.emplace_back();
    place.row = row->second, place.column = column->second, place.code = kernel;
  }

 private:
  SubjectGrid& grid_;
  std::map<std::string, std::size_t> columns_;
  std::map<std::pair<std::string, std::size_t>, std::size_t> rows_;  // by name, and which of it
  std::map<std::pair<std::string, std::size_t>, std::size_t> seen_;  // by name and column
};

}  // namespace

Result<SubjectGrid> open_variant_grid(Tools& tools, const select::SpaceRequest& request,
                                      const std::vector<CodeColumn>& columns, unsigned jobs,
                                      const std::string& prepared_for) {
  SubjectGrid grid;
  grid.columns = name_columns(columns, tools.toolchain.version.text());
  PHASEBIT_TRY_ASSIGN(space, select::open_space(request, select::Forks::included));
  space.target = prepared_for;
  PHASEBIT_TRY_ASSIGN(prepared, images::prepare(space, launch::Build::timed, jobs));
  grid.prepared = std::move(prepared);
  for (const Prepared& one : grid.prepared) grid.rows.push_back({one.key.id, one.key.id});
  images::VariantPlaces opened = images::open_variants(tools, grid.prepared, columns);
  grid.places = std::move(opened.places);
  grid.modules = std::move(opened.modules);
  grid.catalogue = std::move(space.catalogue);
  return grid;
}

Result<SubjectGrid> file_grid(OpenedFiles files, const SubjectRequest& request) {
  SubjectGrid grid;
  grid.of_files = true;
  grid.files = std::move(files);
  std::vector<std::vector<CodeKernel>> kernels;
  for (const auto& file : grid.files) {
    PHASEBIT_TRY_ASSIGN(those, kernels_in(*file, request));
    kernels.push_back(std::move(those));
  }
  const FileColumns columns(grid.files, kernels);
  GridMaker maker(grid);
  for (std::size_t file = 0; file < kernels.size(); ++file)
    for (const CodeKernel& one : kernels[file])
      maker.add(one, columns.name(file, one.image->cubin.target));
  return grid;
}

Result<SubjectGrid> open_grid(Tools& tools, const SubjectRequest& request, bool for_target) {
  PHASEBIT_TRY_ASSIGN(meant, meant_by(request));
  if (!meant.variants) {
    OpenedFiles files;
    for (const std::string& path : meant.code)
      PHASEBIT_TRY(open_code_file(tools, request, path, launch::Build::timed, files));
    return file_grid(std::move(files), request);
  }
  PHASEBIT_TRY_ASSIGN(targets, images::chosen_targets(tools.toolchain, meant.targets));
  PHASEBIT_TRY_ASSIGN(columns, images::columns_of(tools, targets, request.toolchains));
  return open_variant_grid(tools, meant.space, columns, request.tools.jobs,
                           for_target ? targets.front() : "");
}

namespace {

const OpenedFile& file_of(const SubjectGrid& grid, const CodeImage* image) {
  for (const auto& file : grid.files)
    for (const CodeImage& one : file->code.images)
      if (&one == image) return *file;
  bug("a kernel of no file");
}

}  // namespace

Status read_grid(Tools& tools, const Disassembler& disassembler, const SubjectGrid& grid,
                 const foreign::ReadOptions& options, const foreign::VisitSubject& visit) {
  std::map<std::size_t, Error> unread;  // by place
  std::mutex mutex;
  images::read_places(tools, disassembler, grid.places, options,
                      [&](std::size_t place, Result<CodeSubject> subject) {
                        if (!subject && grid.of_files) {
                          const std::lock_guard guard(mutex);
                          unread.emplace(place, subject.error());
                        }
                        visit(place, std::move(subject));
                      });
  std::map<std::string, std::vector<foreign::ImageNote>> notes;  // by file
  for (const auto& [place, error] : unread) {
    const CodeKernel& kernel = *grid.places[place].code;
    std::string why = error.message;
    const std::string image = kernel.image->name + ": ";
    if (why.starts_with(image)) why.erase(0, image.size());  // equal ones are said once
    notes[file_of(grid, kernel.image).label].push_back(
        {foreign::full_kernel_name(kernel.kernel->entry), std::move(why)});
  }
  for (const auto& [file, those] : notes)
    for (const std::string& one : foreign::fold_notes(file, those, "kernels"))
      fmt::print(stderr, "note: left out: {}\n", one);
  if (unread.empty() || unread.size() < grid.places.size()) return {};
  return tl::unexpected<Error>(unread.begin()->second);
}

namespace {

// Only what is shown of thousands of cells is kept.
void slim(flow::Features& features) {
  features.verbs.clear();
  features.kernel.opcodes.clear();
  for (flow::LoopFeatures& loop : features.loops) {
    loop.cold.opcodes.clear();
    loop.beside.opcodes.clear();
  }
}

}  // namespace

Result<std::vector<Result<PlaceSummary>>> summarise_grid(Tools& tools,
                                                         const Disassembler& disassembler,
                                                         const SubjectGrid& grid,
                                                         const SummaryOptions& options) {
  std::vector<Result<PlaceSummary>> all(grid.places.size());
  PHASEBIT_TRY(read_grid(tools, disassembler, grid,
                         {cubin::source::source_view(options.source), grid.of_files},
                         [&](std::size_t place, Result<CodeSubject> subject) {
                           if (!subject)
                             return void(all[place] = tl::unexpected<Error>(subject.error()));
                           const auto target = tools.targets.find(subject->target);
                           if (!target)
                             return void(all[place] = tl::unexpected<Error>(target.error()));
                           PlaceSummary summary{compare::summarise(*subject, *target), {}};
                           if (grid.of_files) summary.loops = subject->loops.count();
                           if (!grid.of_files && !options.in_full) slim(summary.code.features);
                           if (!options.source.empty())
                             summary.code.lines = compare::summarise_lines(*subject);
                           all[place] = std::move(summary);
                         }));
  return all;
}

std::vector<foreign::CodeCell> cells_of(const SubjectGrid& grid,
                                        std::vector<Result<PlaceSummary>> summaries) {
  std::vector<foreign::CodeCell> cells;
  for (std::size_t i = 0; i < summaries.size(); ++i)
    if (Result<PlaceSummary>& one = summaries[i]; one)
      cells.push_back({grid.rows[grid.places[i].row].name, grid.columns[grid.places[i].column].name,
                       std::move(one->code), one->loops});
  return cells;
}

std::string maker_of(const cubin::Cubin& cubin) {
  if (cubin.tool_version.empty()) return {};
  return (cubin.tool.empty() ? "CUDA" : cubin.tool) + " " + cubin.tool_version;
}

}  // namespace phasebit::join::sass
