#include "pipeline/images/prepare.h"

#include "core/base/parallel.h"
#include "gen/fork/snippet.h"
#include "gen/probes/make_plan.h"
#include "gen/probes/requirements.h"
#include "gen/ptxas/assembler.h"
#include "gen/render/variant_head.h"
#include "gen/space/form_space.h"
#include "gen/space/hand_made.h"
#include "pipeline/images/guarded.h"

#include <algorithm>
#include <optional>
#include <thread>

namespace phasebit::pipeline::images {

using image::Build;
using image::VariantKey;
using render::Rendered;
using render::Renderer;
using select::Space;

namespace {

Result<Rendered> headed(Renderer& renderer, const catalogue::Catalogue& catalogue,
                        const VariantKey& key, const std::string& wanted_target) {
  const VariantKey of_catalogue = space::template_key(key);
  PHASEBIT_TRY_ASSIGN(needs, probes::requirements(catalogue, of_catalogue));
  PHASEBIT_TRY_ASSIGN(target, probes::declared_target(key, needs, wanted_target));
  PHASEBIT_TRY_ASSIGN(plan, probes::make_plan(catalogue, of_catalogue));
  PHASEBIT_TRY_ASSIGN(rendered, renderer.render(key, plan, Build::timed, needs.ptx.text(), target));
  PHASEBIT_TRY_ASSIGN(rules, probes::head_rules(catalogue, of_catalogue, plan.derived()));
  rendered.head = render::make_head(key, plan, rendered.kernel, std::move(rules));
  rendered.has_head = true;
  return std::move(rendered);
}

// One a thread: its renderers keep what they have parsed.
class Maker {
 public:
  explicit Maker(const Space& space) : space_(space), renderer_(space.catalogue, space.templates) {}

  // The text is that of the key without its choice of ptxas.
  Result<Rendered> make(const VariantKey& any, Build build) {
    const VariantKey key = ptxas::text_key(any);
    PHASEBIT_TRY_ASSIGN(timed, timed_kernel(key));
    if (build == Build::timed) return std::move(timed);
    return guarded_kernel(timed);
  }

 private:
  Result<Rendered> timed_kernel(const VariantKey& key) {
    for (const Rendered& file : space_.files)
      if (file.head.key.id == key.id) return file;
    return headed(renderer_, space_.catalogue, key, space_.target);
  }

  const Space& space_;
  Renderer renderer_;
};

}  // namespace

image::GuardTable guard_table(const Prepared& guarded) {
  image::GuardTable table{guarded.sites, {}};
  for (const ptx::head::HeadBarrier& one : guarded.head.barriers)
    if (ptx::head::barrier_bytes(one.kind) > 0)
      table.barriers.push_back({one.name + (one.kind == "flag" ? "_flag" : "_barrier"), one.base,
                                one.stride, one.count});
  return table;
}

Result<Rendered> render_one(const fs::path& templates, const catalogue::Catalogue& catalogue,
                            const VariantKey& variant, Build build) {
  Renderer renderer(catalogue, templates);
  PHASEBIT_TRY_ASSIGN(timed, headed(renderer, catalogue, variant, {}));
  if (build == Build::timed) return std::move(timed);
  return guarded_kernel(timed);
}

Result<Rendered> render_one(const Space& space, const VariantKey& variant, Build build) {
  return Maker(space).make(variant, build);
}

Result<std::vector<Prepared>> prepare(const Space& space, Build build, unsigned jobs) {
  return prepare(space, space.expansion.variants, build, jobs);
}

Result<std::vector<Prepared>> prepare(const Space& space, const std::vector<VariantKey>& variants,
                                      Build build, unsigned jobs) {
  if (jobs == 0) jobs = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::optional<Result<Rendered>>> made(variants.size());
  base::parallel_for(jobs, jobs, [&](size_t thread) {
    Maker maker(space);
    for (size_t i = thread; i < variants.size(); i += jobs)
      made[i] = maker.make(variants[i], build);
  });
  std::vector<Prepared> prepared;
  prepared.reserve(variants.size());
  for (size_t i = 0; i < variants.size(); ++i) {
    Result<Rendered>& one = *made[i];
    if (!one) return tl::unexpected<Error>(one.error());
    prepared.push_back(
        {variants[i], std::move(one->head), std::move(one->kernel), std::move(one->sites)});
  }
  return prepared;
}

}  // namespace phasebit::pipeline::images
