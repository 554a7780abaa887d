#include "join/sass/gate.h"

#include "analysis/gate/expectation_file.h"
#include "core/base/file.h"
#include "join/select/open_space.h"

#include <algorithm>
#include <set>

#include <glob.h>

namespace phasebit::join::sass {

using gate::Expectation;
using gate::ExpectationFile;
using gate::GateSubject;
using images::GatePlace;
using images::Tools;

namespace {

bool any_says(const std::vector<Expectation>& rules,
              std::vector<std::string> Expectation::* patterns) {
  return std::any_of(rules.begin(), rules.end(),
                     [&](const Expectation& rule) { return !(rule.*patterns).empty(); });
}

// Rules that name kernels speak of none of the variants.
Status check_rules(const GateRequest& options, const ExpectationFile& file) {
  for (const Expectation& rule : file.expectations)
    if (!rule.kernels.empty() && rule.variants.empty())
      return with_hint(fail(Step::usage, "{}: '{}' names kernels, and there are no files of any",
                            rule.place, rule.name),
                       fmt::format("phasebit sass gate {} FILE..., or files = [\"build/*.so\"] in "
                                   "the rules; variants are named by `variants`",
                                   options.file));
  return {};
}

// What the command line says, else the rules.
Result<GateRequest> completed(const GateRequest& options, const ExpectationFile& file) {
  GateRequest request = options;
  const std::string folder = fs::path(options.file).parent_path().string();
  const bool own = !options.files.empty();
  PHASEBIT_TRY_ASSIGN(files, expand_files(own ? options.files : file.files, own ? "" : folder));
  request.files = std::move(files);
  if (request.targets.empty()) request.targets = file.targets;
  select::SpaceRequest& space = request.space;
  if (!space.ids.empty() || !space.variants.empty() || !space.spec.empty()) return request;
  if (!file.spec.empty()) space.spec = (fs::path(folder) / file.spec).string();
  if (space.sweep.empty()) space.sweep = file.sweep;
  return request;
}

// All that the rules are checked on.
class Subjects {
 public:
  Subjects(const GateRequest& request, Tools& tools) : request_(request), tools_(tools) {}

  // A file that cannot be opened is unjudged where others can.
  Status add_files(const std::vector<std::string>& paths, const select::SpaceRequest& of_files) {
    SubjectRequest request = request_;
    request.space = of_files;
    std::set<std::string> missing(request.targets.begin(), request.targets.end());
    std::vector<std::pair<std::string, Error>> closed;
    for (const std::string& path : paths) {
      const std::size_t first = files_.size();
      if (const Status opened = open_code_file(tools_, request, path, launch::Build::timed, files_);
          !opened)
        closed.emplace_back(path, opened.error());
      for (std::size_t i = first; i < files_.size(); ++i)
        PHASEBIT_TRY(add_kernels(*files_[i], missing));
    }
    if (closed.size() == paths.size()) return tl::unexpected<Error>(closed.front().second);
    for (const auto& [path, why] : closed) {
      GatePlace& one = places_.emplace_back();
      one.subject.name = one.subject.file = path;
      one.subject.set_problem(why);
      one.place.code = tl::unexpected<Error>(why);
    }
    if (missing.empty()) return {};
    return fail(Step::usage, "{}: no code for {}", fmt::join(paths, ", "),
                fmt::join(missing, ", "));
  }

  Status add_variants(const Meant& meant, const select::SpaceRequest& space) {
    PHASEBIT_TRY_ASSIGN(targets, images::chosen_targets(tools_.toolchain, meant.targets));
    PHASEBIT_TRY_ASSIGN(columns, images::columns_of(tools_, targets, request_.toolchains));
    PHASEBIT_TRY_ASSIGN(opened, select::open_space(space, select::Forks::included));
    PHASEBIT_TRY_ASSIGN(prepared,
                        images::prepare(opened, launch::Build::timed, request_.tools.jobs));
    prepared_ = std::move(prepared);
    variants_ = images::open_variants(tools_, prepared_, columns, true);
    PHASEBIT_TRY_ASSIGN(found, images::gate_places(tools_, variants_.places));
    std::move(found.begin(), found.end(), std::back_inserter(places_));
    return {};
  }

  std::vector<GateSubject> read(const disassembly::Disassembler& disassembler,
                                const std::vector<Expectation>& rules) {
    return images::read_gate_subjects(tools_, disassembler, std::move(places_), rules,
                                      cubin::source::source_view(request_.source));
  }

 private:
  Status add_kernels(const OpenedFile& file, std::set<std::string>& missing) {
    std::vector<std::string> targets = file.ptxas ? std::vector<std::string>() : request_.targets;
    if (file.ptxas)
      for (const foreign::CodeImage& image : file.code.images) missing.erase(image.cubin.target);
    if (targets.empty()) targets.emplace_back();
    for (const std::string& target : targets) {
      const auto found = foreign::find_kernels(file.code, {"", target});
      if (!found && request_.targets.empty()) return tl::unexpected<Error>(found.error());
      if (!found) continue;
      missing.erase(target);
      for (const foreign::CodeKernel& one : *found) PHASEBIT_TRY(add(file, one));
    }
    return {};
  }

  Status add(const OpenedFile& file, const foreign::CodeKernel& kernel) {
    PHASEBIT_TRY_ASSIGN(target, tools_.targets.find(kernel.image->cubin.target));
    const std::string& symbol = kernel.kernel->entry;
    GatePlace& one = places_.emplace_back();
    one.place.code = kernel;
    one.subject.name = symbol;
    one.subject.target = target.name;
    one.subject.family = target.family;
    one.subject.ptxas = file.ptxas;
    one.subject.names = foreign::kernel_names(symbol);
    one.subject.shown = request_.full_names ? foreign::full_kernel_name(symbol)
                                            : foreign::short_kernel_name(symbol);
    one.subject.file = file.code.path;
    return {};
  }

  const GateRequest& request_;
  Tools& tools_;
  OpenedFiles files_;
  std::vector<images::Prepared> prepared_;
  images::VariantPlaces variants_;
  std::vector<GatePlace> places_;
};

}  // namespace

Result<gate::GateReport> sass_gate(const GateRequest& options) {
  PHASEBIT_TRY_ASSIGN(text, base::read_file(options.file));
  PHASEBIT_TRY_ASSIGN(file, gate::parse_expectations(text, options.file));
  PHASEBIT_TRY_ASSIGN(request, completed(options, file));
  if (request.files.empty()) PHASEBIT_TRY(check_rules(options, file));
  PHASEBIT_TRY_ASSIGN(meant, meant_by(request, true));
  // Rules that name variants want a sweep, in addition to code that is there already.
  const bool sweep =
      request.files.empty() || (!meant.code.empty() && meant.space.files.empty() &&
                                (!file.spec.empty() || !file.sweep.empty() ||
                                 any_says(file.expectations, &Expectation::variants)));
  if (!sweep && !meant.variants && !meant.made) PHASEBIT_TRY(refuse_variant_options(options));
  if (meant.code.empty() && options.full_names)
    return fail(Step::usage, "--full-names is for code files, and there are none");
  PHASEBIT_TRY_ASSIGN(tools, images::open_tools(request.tools));
  PHASEBIT_TRY_ASSIGN(disassembler, images::open_disassembler(tools));
  Subjects subjects(request, tools);
  if (!meant.code.empty()) PHASEBIT_TRY(subjects.add_files(meant.code, options.space));
  // The sweep that the rules name is not an option of files.
  select::SpaceRequest space = options.space;
  space.files = meant.space.files;
  if (sweep || meant.variants)
    PHASEBIT_TRY(subjects.add_variants(meant, sweep ? request.space : space));
  return gate::check_expectations(file.expectations,
                                  subjects.read(disassembler, file.expectations));
}

Result<std::vector<std::string>> expand_files(const std::vector<std::string>& patterns,
                                              const std::string& folder) {
  std::vector<std::string> files;
  for (const std::string& pattern : patterns) {
    const std::string path = (fs::path(folder) / pattern).string();
    glob_t found{};
    const int status = ::glob(path.c_str(), 0, nullptr, &found);
    for (std::size_t i = 0; status == 0 && i < found.gl_pathc; ++i)
      if (const std::string file = found.gl_pathv[i];
          std::find(files.begin(), files.end(), file) == files.end())
        files.push_back(file);
    ::globfree(&found);
    if (status != 0) return fail(Step::usage, "{}: no such file", path);
  }
  return files;
}

}  // namespace phasebit::join::sass
