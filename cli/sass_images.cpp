#include "cli/sass_images.h"

#include "analysis/sass/census.h"
#include "analysis/sass/module.h"
#include "core/base/hash.h"
#include "core/base/parallel.h"

#include <map>
#include <set>

namespace phasebit {
namespace {

// The variants of one column that lie in one cubin.
struct ModuleWork {
  std::size_t column = 0;
  std::string module;
  std::vector<std::size_t> variants;
  std::set<std::string> entries;  // to disassemble: the first of their code on this SM
  std::map<std::string, DisassembledFunction> functions;  // of those, by hash of the code
  std::string problem;
};

class Analysis {
 public:
  Analysis(Tools& tools, const Disassembler& disassembler, const std::vector<Prepared>& prepared,
           const std::vector<CodeColumn>& columns, const VisitImage& visit)
      : tools_(tools),
        disassembler_(disassembler),
        prepared_(prepared),
        columns_(columns),
        visit_(visit) {}

  Status run() {
    AssembleOptions& options = tools_.options;
    const bool before = options.line_info;
    options.line_info = true;
    sets_ = make_images(tools_, prepared_, columns_);
    options.line_info = before;
    for (const CodeColumn& column : columns_) {
      PHASEBIT_TRY_ASSIGN(known, parse_target(column.target));
      sms_.push_back(known.sm);
    }
    for (std::size_t column = 0; column < sets_.size(); ++column) plan(column);
    parallel_for(work_.size(), options.threads, [&](std::size_t i) { disassemble(work_[i]); });
    for (const ModuleWork& work : work_)
      for (const auto& [hash, function] : work.functions)
        functions_[{sms_[work.column], hash}] = &function;
    parallel_for(work_.size(), options.threads, [&](std::size_t i) { join(work_[i]); });
    return {};
  }

 private:
  const Image& image(const ModuleWork& work, std::size_t variant) const {
    return *sets_[work.column].images[variant];
  }

  // What was refused is passed on at once.
  void plan(std::size_t column) {
    std::map<std::string, ModuleWork> modules;
    for (std::size_t variant = 0; variant < prepared_.size(); ++variant) {
      const Result<Image>& image = sets_[column].images[variant];
      if (!image) {
        visit_(column, variant, tl::unexpected<Error>(image.error()));
        continue;
      }
      ModuleWork& work = modules[image->module];
      work.column = column;
      work.module = image->module;
      work.variants.push_back(variant);
      if (codes_.emplace(sms_[column], image->text_hash).second) work.entries.insert(image->entry);
    }
    for (auto& [hash, work] : modules) work_.push_back(std::move(work));
  }

  Result<std::string> code_of(const ModuleWork& work) const {
    return module_code(*sets_[work.column].assembly, tools_.cache_or_null(), work.module);
  }

  Status try_disassemble(ModuleWork& work) const {
    if (work.entries.empty()) return {};
    PHASEBIT_TRY_ASSIGN(code, code_of(work));
    PHASEBIT_TRY_ASSIGN(cubin, read_cubin(code, "module " + work.module));
    std::vector<const CubinKernel*> wanted;
    for (const CubinKernel& kernel : cubin.kernels)
      if (work.entries.contains(kernel.entry)) wanted.push_back(&kernel);
    PHASEBIT_TRY_ASSIGN(functions, disassembler_.functions(code, cubin, wanted));
    for (const CubinKernel* kernel : wanted)
      work.functions.emplace(content_hash(kernel->text), std::move(functions.at(kernel->entry)));
    return {};
  }
  void disassemble(ModuleWork& work) const {
    if (const Status done = try_disassemble(work); !done) work.problem = done.error().message;
  }

  Result<AnalysedImage> analyse(const ModuleWork& work, const Cubin& cubin,
                                std::size_t variant) const {
    const Image& made = image(work, variant);
    const CubinKernel* found = cubin.find(made.entry);
    const auto function = functions_.find({sms_[work.column], made.text_hash});
    if (found == nullptr || function == functions_.end())
      return fail(Step::disassemble, "{} for {}: no disassembly{}{}", prepared_[variant].key.id,
                  columns_[work.column].name(), work.problem.empty() ? "" : ": ", work.problem);
    PHASEBIT_TRY_ASSIGN(kernel, join_kernel(*found, *function->second));
    const SourceMap& source = prepared_[variant].kernel.source;
    std::vector<RoleWindow> windows = find_windows(kernel, source);
    PHASEBIT_TRY_ASSIGN(spec, gate_of(prepared_[variant], tools_, columns_[work.column]));
    promote_single_sites(windows, kernel, source, spec);
    return AnalysedImage{std::move(kernel), std::move(windows), made.resources};
  }

  void join(const ModuleWork& work) const {
    const auto code = code_of(work);
    const auto cubin =
        code ? read_cubin(*code, "module " + work.module) : tl::unexpected<Error>(code.error());
    for (const std::size_t variant : work.variants)
      visit_(work.column, variant,
             cubin ? analyse(work, *cubin, variant)
                   : Result<AnalysedImage>(tl::unexpected<Error>(cubin.error())));
  }

  Tools& tools_;
  const Disassembler& disassembler_;
  const std::vector<Prepared>& prepared_;
  const std::vector<CodeColumn>& columns_;
  const VisitImage& visit_;
  std::vector<ImageSet> sets_;
  std::vector<ModuleWork> work_;
  std::vector<int> sms_;                         // of the columns
  std::set<std::pair<int, std::string>> codes_;  // those that some module disassembles
  std::map<std::pair<int, std::string>, const DisassembledFunction*> functions_;
};

}  // namespace

Status analyse_images(Tools& tools, const Disassembler& disassembler,
                      const std::vector<Prepared>& prepared, const std::vector<CodeColumn>& columns,
                      const VisitImage& visit) {
  return Analysis(tools, disassembler, prepared, columns, visit).run();
}

}  // namespace phasebit
