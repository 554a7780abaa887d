#include "pipeline/images/sass_images.h"

#include "analysis/disassembly/disassembler.h"
#include "analysis/disassembly/live.h"
#include "analysis/flow/census.h"
#include "core/base/parallel.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <thread>

namespace phasebit::pipeline::images {

using cubin::CubinKernel;
using disassembly::Disassembler;
using image::Image;

namespace {

// The variants of one column that lie in one cubin.
struct ModuleWork {
  std::size_t column = 0;
  std::string module;
  std::vector<std::size_t> variants;
  Result<cubin::Cubin> cubin = fail(Step::disassemble, "not read");
  std::vector<std::optional<Disassembler::Listing>> listings;  // of the variants
};

class Analysis {
 public:
  Analysis(Tools& tools, const Disassembler& disassembler, const std::vector<Prepared>& prepared,
           const std::vector<CodeColumn>& columns, const VisitImage& visit,
           const WantsLive& wants_live)
      : tools_(tools),
        disassembler_(disassembler),
        prepared_(prepared),
        columns_(columns),
        visit_(visit),
        wants_live_(wants_live) {}

  Status run() {
    sets_ = make_images(tools_, prepared_, columns_);
    for (const CodeColumn& column : columns_) {
      PHASEBIT_TRY_ASSIGN(known, isa::parse_target(column.target));
      sms_.push_back(known.sm);
    }
    for (std::size_t column = 0; column < sets_.size(); ++column) plan(column);
    const unsigned threads = tools_.options.threads;
    base::parallel_for(work_.size(), threads, [&](std::size_t i) { read(work_[i]); });
    // A run takes a quarter of a second to start: one an SM where there are as many as cores.
    const std::set<int> distinct(sms_.begin(), sms_.end());
    const std::vector<int> sms(distinct.begin(), distinct.end());
    const auto share = std::max<std::size_t>(1, cores() / std::max<std::size_t>(1, sms.size()));
    base::parallel_for(sms.size(), threads,
                       [&](std::size_t i) { disassemble(sms[i], static_cast<unsigned>(share)); });
    base::parallel_for(work_.size(), threads, [&](std::size_t i) { join(work_[i]); });
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
    }
    for (auto& [hash, work] : modules) work_.push_back(std::move(work));
  }

  void read(ModuleWork& work) const {
    const auto code =
        ptxas::module_code(*sets_[work.column].assembly, tools_.cache_or_null(), work.module);
    work.cubin = code ? cubin::read_cubin(*code, "module " + work.module)
                      : tl::unexpected<Error>(code.error());
    work.listings.resize(work.variants.size());
  }

  // All code of an SM in one go.
  void disassemble(int sm, unsigned threads) {
    std::vector<const CubinKernel*> kernels;
    std::vector<std::optional<Disassembler::Listing>*> places;
    for (ModuleWork& work : work_) {
      if (sms_[work.column] != sm || !work.cubin) continue;
      for (std::size_t i = 0; i < work.variants.size(); ++i)
        if (const CubinKernel* found = work.cubin->find(image(work, work.variants[i]).entry)) {
          kernels.push_back(found);
          places.push_back(&work.listings[i]);
        }
    }
    auto listings = disassembler_.listings(sm, kernels, threads);
    for (std::size_t i = 0; i < places.size(); ++i) *places[i] = std::move(listings[i]);
  }
  unsigned cores() const {
    const unsigned asked = tools_.options.threads;
    return asked != 0 ? asked : std::max(1U, std::thread::hardware_concurrency());
  }

  bool wants_live(const ModuleWork& work, std::size_t variant) const {
    return wants_live_ && wants_live_(work.column, variant);
  }

  // Of those kernels of a module that somebody asks it of; an empty table for none.
  Result<disassembly::LiveTable> live_of(const ModuleWork& work) const {
    std::vector<std::size_t> symbols;
    for (const std::size_t variant : work.variants)
      if (wants_live(work, variant))
        if (const CubinKernel* found = work.cubin->find(image(work, variant).entry))
          symbols.push_back(found->symbol);
    if (symbols.empty()) return disassembly::LiveTable();
    PHASEBIT_TRY_ASSIGN(code, ptxas::module_code(*sets_[work.column].assembly,
                                                 tools_.cache_or_null(), work.module));
    return disassembly::live_registers(disassembler_, code, symbols);
  }

  Result<AnalysedImage> analyse(const ModuleWork& work, std::size_t place,
                                const Result<disassembly::LiveTable>& live) const {
    const std::size_t variant = work.variants[place];
    const Image& made = image(work, variant);
    const CubinKernel* found = work.cubin->find(made.entry);
    if (const auto& listing = work.listings[place]; found == nullptr || !listing || !*listing)
      return fail(Step::disassemble, "{} for {}: no disassembly{}", prepared_[variant].key.id,
                  columns_[work.column].name(), listing ? ": " + listing->error().message : "");
    PHASEBIT_TRY_ASSIGN(kernel, disassembly::join_kernel(*found, *work.listings[place]));
    if (wants_live(work, variant)) {
      if (!live) return tl::unexpected<Error>(live.error());
      PHASEBIT_TRY(disassembly::add_live_registers(kernel, *live));
    }
    const image::SourceMap& source = prepared_[variant].kernel.source;
    std::vector<flow::RoleWindow> windows = flow::find_windows(kernel, source);
    PHASEBIT_TRY_ASSIGN(spec, gate_of(prepared_[variant], tools_, columns_[work.column]));
    const std::string ptxas = choice_of(prepared_[variant], columns_[work.column]).ptxas;
    PHASEBIT_TRY_ASSIGN(toolchain, tools_.toolchain_of(ptxas));
    PHASEBIT_TRY_ASSIGN(known, tools_.targets.find(columns_[work.column].target));
    flow::promote_single_sites(windows, kernel, source, spec,
                               flow::moves_lines(toolchain->version, known.family));
    return AnalysedImage{std::move(kernel), std::move(windows), made.resources};
  }

  void join(const ModuleWork& work) const {
    const auto live = work.cubin ? live_of(work) : Result<disassembly::LiveTable>();
    for (std::size_t i = 0; i < work.variants.size(); ++i)
      visit_(work.column, work.variants[i],
             work.cubin ? analyse(work, i, live)
                        : Result<AnalysedImage>(tl::unexpected<Error>(work.cubin.error())));
  }

  Tools& tools_;
  const Disassembler& disassembler_;
  const std::vector<Prepared>& prepared_;
  const std::vector<CodeColumn>& columns_;
  const VisitImage& visit_;
  const WantsLive& wants_live_;
  std::vector<ImageSet> sets_;
  std::vector<ModuleWork> work_;
  std::vector<int> sms_;  // of the columns
};

}  // namespace

Status analyse_images(Tools& tools, const Disassembler& disassembler,
                      const std::vector<Prepared>& prepared, const std::vector<CodeColumn>& columns,
                      const VisitImage& visit, const WantsLive& wants_live) {
  return Analysis(tools, disassembler, prepared, columns, visit, wants_live).run();
}

}  // namespace phasebit::pipeline::images
