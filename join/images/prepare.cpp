#include "join/images/prepare.h"

#include "core/base/parallel.h"
#include "gen/guard/guard.h"
#include "gen/kernel/kernel_file.h"
#include "gen/kernel/lower.h"
#include "gen/kernel/make_plan.h"
#include "gen/kernel/requirements.h"
#include "gen/kernel/snippet.h"
#include "gen/kernel/variant_head.h"
#include "gen/llvm/worker.h"
#include "gen/space/compilers.h"
#include "gen/space/form_space.h"
#include "gen/space/hand_made.h"
#include "gen/space/variants.h"

#include <algorithm>
#include <optional>
#include <thread>

namespace phasebit::join::images {

using kernel::Rendered;
using kernel::Renderer;
using launch::Build;
using launch::VariantKey;
using select::Space;

namespace {

// LLVM selects its intrinsics of mbarrier, which name a scope, from here on.
constexpr int lowest_llvm_ptx = 80, lowest_llvm_sm = 90;

llvm::Options llvm_options(const ptxas::LlvmChoice& choice, const isa::Version& ptx,
                           const std::string& target) {
  const bool older = std::stoi(target.substr(target.find('_') + 1)) < lowest_llvm_sm;
  return {older ? fmt::format("sm_{}", lowest_llvm_sm) : target,
          std::max(llvm::ptx_number(ptx), lowest_llvm_ptx), choice.opt_level,
          choice.short_pointers};
}

// The text of a key, of the templates' PTX or by LLVM of their IR.
class Texts {
 public:
  Texts(Renderer& renderer, std::optional<llvm::Worker>& worker)
      : renderer_(renderer), worker_(worker) {}

  Result<Rendered> of(const VariantKey& key, const kernel::Plan& plan, const isa::Version& ptx,
                      const std::string& target) const {
    const ptxas::LlvmChoice choice = space::llvm_of(key);
    if (choice.version.empty())
      return renderer_.render(key, plan, Build::timed, ptx.text(), target);
    if (!worker_) {
      PHASEBIT_TRY_ASSIGN(program, llvm::find_program());
      worker_.emplace(program);
    }
    PHASEBIT_TRY_ASSIGN(ir, renderer_.render_ir(key, plan));
    return kernel::lower(*worker_, ir, llvm_options(choice, ptx, target));
  }

 private:
  Renderer& renderer_;
  std::optional<llvm::Worker>& worker_;
};

Result<Rendered> headed(const Texts& texts, const space::Catalogue& catalogue,
                        const VariantKey& key, const std::string& wanted_target) {
  const VariantKey of_catalogue = space::template_key(catalogue, key);
  PHASEBIT_TRY_ASSIGN(needs, kernel::requirements(catalogue, of_catalogue));
  PHASEBIT_TRY_ASSIGN(target, kernel::declared_target(key, needs, wanted_target));
  PHASEBIT_TRY_ASSIGN(plan, kernel::make_plan(catalogue, of_catalogue));
  PHASEBIT_TRY_ASSIGN(rendered, texts.of(key, plan, needs.ptx, target));
  PHASEBIT_TRY_ASSIGN(rules, kernel::rules_of(catalogue, of_catalogue, key, plan));
  rendered.head = kernel::make_head(key, plan, rendered.kernel, std::move(rules));
  rendered.has_head = true;
  return std::move(rendered);
}

}  // namespace

// Its renderer keeps what it has parsed.
class VariantMaker::Maker {
 public:
  explicit Maker(const Space& space) : space_(space), renderer_(space.catalogue, space.templates) {}

  // The text is that of the key without its choice of ptxas.
  Result<Rendered> make(const VariantKey& any, Build build) {
    const VariantKey key = space::text_key(space_.catalogue, any);
    PHASEBIT_TRY_ASSIGN(timed, timed_kernel(key));
    if (build == Build::timed) return std::move(timed);
    return guarded_kernel(timed);
  }

 private:
  Result<Rendered> timed_kernel(const VariantKey& key) {
    for (const Rendered& file : space_.files)
      if (file.head.key.id == key.id) return file;
    return headed(Texts(renderer_, worker_), space_.catalogue, key, space_.target);
  }

  const Space& space_;
  Renderer renderer_;
  std::optional<llvm::Worker> worker_;
};

VariantMaker::VariantMaker(const Space& space) : maker_(std::make_unique<Maker>(space)) {}
VariantMaker::VariantMaker(VariantMaker&&) noexcept = default;
VariantMaker::~VariantMaker() = default;

Result<Rendered> VariantMaker::make(const VariantKey& variant, Build build) {
  return maker_->make(variant, build);
}

launch::GuardTable guard_table(const Prepared& guarded) {
  launch::GuardTable table{guarded.sites, {}};
  for (const ptx::head::HeadBarrier& one : guarded.head.barriers)
    if (ptx::head::barrier_bytes(one.kind) > 0)
      table.barriers.push_back({one.name + (one.kind == "flag" ? "_flag" : "_barrier"), one.base,
                                one.stride, one.count});
  return table;
}

Result<Rendered> render_one(const fs::path& templates, const space::Catalogue& catalogue,
                            const VariantKey& variant, Build build) {
  Renderer renderer(catalogue, templates);
  std::optional<llvm::Worker> worker;
  PHASEBIT_TRY_ASSIGN(timed, headed(Texts(renderer, worker), catalogue, variant, {}));
  if (build == Build::timed) return std::move(timed);
  return guarded_kernel(timed);
}

Result<Rendered> render_one(const Space& space, const VariantKey& variant, Build build) {
  return VariantMaker(space).make(variant, build);
}

namespace {

// A placement may put warps before the shape's own.
constexpr int most_first_warps = 8;

guard::GuardBounds bounds_of(const launch::LaunchShape& launch) {
  const int idle_warps = launch.fixed_warps ? 0 : most_first_warps;
  return {std::min(launch::most_threads_of_cta, launch.threads + 32 * idle_warps),
          launch.ctas_per_sm + launch.load_ctas};
}

// A line of the guarded text leads to that of the file which it is or is next to, so that what
// ptxas says of both builds is the same. What the guard adds at the end has no other place.
Status lead_back(ptxas::Kernel& kernel, std::string_view text, const ptx::PtxFile& file,
                 const guard::GuardedPtx& guarded) {
  PHASEBIT_TRY_ASSIGN(written, ptx::read_ptx(text, file.name));
  const std::size_t known = std::min(written.statements.size(), guarded.origins.size());
  for (std::size_t n = known; n-- > 0;) {
    if (guarded.origins[n] < 0) continue;
    const auto origin = static_cast<std::size_t>(guarded.origins[n]);
    const auto line = static_cast<std::size_t>(written.statements[n].line - 1);
    kernel.source[line].line = file.statements[origin].line;
  }
  return {};
}

struct GuardedText {
  ptxas::Kernel kernel;
  std::vector<launch::WaitSite> sites;
};

// A whole file is guarded as a file: its functions may wait too.
Result<GuardedText> guarded_file(const ptxas::Kernel& timed, const fs::path& path) {
  PHASEBIT_TRY_ASSIGN(text, base::read_file(path));
  const std::string& name = timed.source.front().file;
  PHASEBIT_TRY_ASSIGN(file, ptx::read_ptx(text, name));
  PHASEBIT_TRY_ASSIGN(guarded, guard::guard(file));
  const std::string written = ptx::write_ptx(guarded.file);
  PHASEBIT_TRY_ASSIGN(kernels, kernel::read_kernels(written, name));
  for (Rendered& one : kernels) {
    if (one.kernel.entry != timed.entry) continue;
    PHASEBIT_TRY(lead_back(one.kernel, written, file, guarded));
    return GuardedText{std::move(one.kernel), std::move(guarded.sites)};
  }
  bug("the guard lost an entry");
}

Result<GuardedText> guarded_text(const ptxas::Kernel& timed, const ptx::head::Head& head,
                                 const fs::path& path) {
  if (timed.as_is) return guarded_file(timed, path);
  PHASEBIT_TRY_ASSIGN(guarded,
                      guard::guard_kernel(timed, kernel::entry_name(head.key, Build::guarded),
                                          bounds_of(head.launch), head.registers));
  return GuardedText{std::move(guarded.kernel), std::move(guarded.sites)};
}

}  // namespace

Result<Rendered> guarded_kernel(const Rendered& timed) {
  PHASEBIT_TRY_ASSIGN(text, guarded_text(timed.kernel, timed.head, timed.path));
  Rendered out;
  out.kernel = std::move(text.kernel);
  out.kernel.build = Build::guarded;
  out.sites = std::move(text.sites);
  for (std::size_t n = 0; !timed.kernel.as_is && n < out.kernel.statements.size(); ++n)
    out.listing.push_back({out.kernel.statements[n], out.kernel.source[n]});
  out.head = timed.head;
  out.head.build = Build::guarded;
  out.has_head = timed.has_head;
  return out;
}

Result<Prepared> guarded_of(const Prepared& timed) {
  Prepared out{timed.key, timed.head, {}, timed.path, {}, timed.refused, timed.choice};
  if (!out.refused) {
    PHASEBIT_TRY_ASSIGN(text, guarded_text(timed.kernel, timed.head, timed.path));
    out.kernel = std::move(text.kernel);
    out.sites = std::move(text.sites);
    out.head.build = Build::guarded;
  }
  out.kernel.build = Build::guarded;
  return out;
}

namespace {

// The first error in the order of the variants.
Result<std::vector<Prepared>> all_of(std::vector<Result<Prepared>> made) {
  std::vector<Prepared> prepared;
  prepared.reserve(made.size());
  for (Result<Prepared>& one : made) {
    if (!one) return tl::unexpected<Error>(one.error());
    prepared.push_back(std::move(*one));
  }
  return prepared;
}

Result<Prepared> prepared_of(const Space& space, VariantMaker& maker, const VariantKey& variant,
                             Build build) {
  auto made = maker.make(variant, Build::timed);
  if (!made && space::llvm_of(variant).version.empty()) return tl::unexpected<Error>(made.error());
  Prepared timed{variant, {}, {}, {}, {}, {}, space::assembler_of(space.catalogue, variant)};
  if (made) {
    timed.head = std::move(made->head);
    timed.kernel = std::move(made->kernel);
    timed.path = std::move(made->path);
  } else {
    timed.head.key = variant;
    timed.refused = made.error();
  }
  return build == Build::timed ? std::move(timed) : guarded_of(timed);
}

}  // namespace

Result<std::vector<Prepared>> prepare(const Space& space, Build build, unsigned jobs) {
  if (jobs == 0) jobs = std::max(1U, std::thread::hardware_concurrency());
  const std::vector<VariantKey>& variants = space.expansion.variants;
  std::vector<Result<Prepared>> made(variants.size());
  base::parallel_for(jobs, jobs, [&](size_t thread) {
    VariantMaker maker(space);
    for (size_t i = thread; i < variants.size(); i += jobs)
      made[i] = prepared_of(space, maker, variants[i], build);
  });
  return all_of(std::move(made));
}

Result<std::vector<Prepared>> guarded_of(const std::vector<Prepared>& timed, unsigned jobs) {
  std::vector<Result<Prepared>> made(timed.size());
  base::parallel_for(timed.size(), jobs, [&](size_t i) { made[i] = guarded_of(timed[i]); });
  return all_of(std::move(made));
}

}  // namespace phasebit::join::images
