#include "cli/prepare.h"

#include "core/base/parallel.h"
#include "gen/requirements.h"

#include <algorithm>
#include <optional>
#include <thread>

namespace phasebit {
namespace {

Result<Rendered> render_with(Renderer& renderer, const Catalogue& catalogue,
                             const VariantKey& variant, const Plan& plan, Build build) {
  PHASEBIT_TRY_ASSIGN(needs, requirements(catalogue, variant));
  return renderer.render(variant, plan, build, needs.ptx.text(), fmt::format("sm_{}", needs.sm));
}

Result<Prepared> prepare_one(Renderer& renderer, const Catalogue& catalogue,
                             const VariantKey& variant, Build build) {
  PHASEBIT_TRY_ASSIGN(plan, make_plan(variant));
  PHASEBIT_TRY_ASSIGN(rendered, render_with(renderer, catalogue, variant, plan, build));
  return Prepared{variant, std::move(plan), std::move(rendered.kernel)};
}

}  // namespace

Result<Rendered> render_one(const fs::path& templates, const Catalogue& catalogue,
                            const VariantKey& variant, Build build) {
  Renderer renderer(templates);
  PHASEBIT_TRY_ASSIGN(plan, make_plan(variant));
  return render_with(renderer, catalogue, variant, plan, build);
}

Result<std::vector<Prepared>> prepare(const fs::path& templates, const Catalogue& catalogue,
                                      const std::vector<VariantKey>& variants, Build build,
                                      unsigned jobs) {
  if (jobs == 0) jobs = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::optional<Result<Prepared>>> made(variants.size());
  parallel_for(jobs, jobs, [&](size_t thread) {
    Renderer renderer(templates);  // one a thread: it keeps what it has parsed
    for (size_t i = thread; i < variants.size(); i += jobs)
      made[i] = prepare_one(renderer, catalogue, variants[i], build);
  });
  std::vector<Prepared> prepared;
  prepared.reserve(variants.size());
  for (std::optional<Result<Prepared>>& one : made) {
    if (!*one) return tl::unexpected<Error>((*one).error());
    prepared.push_back(std::move(**one));
  }
  return prepared;
}

}  // namespace phasebit
