#include "cli/prepare.h"

#include "core/base/parallel.h"
#include "gen/assembler.h"
#include "gen/forms/form_space.h"
#include "gen/guard/kernel_guard.h"
#include "gen/requirements.h"

#include <algorithm>
#include <optional>
#include <thread>

namespace phasebit {
namespace {

struct Made {
  Plan plan;
  Rendered rendered;
  std::vector<VerbRule> gates;
  std::vector<WaitSite> sites;
};

// A placement may put warps in front of the shape's own.
constexpr int most_first_warps = 8;
constexpr int most_threads = 1024;

GuardBounds bounds_of(const LaunchShape& launch) {
  return {std::min(most_threads, launch.threads + 32 * most_first_warps),
          launch.ctas_per_sm + launch.load_ctas};
}

// One a thread: its renderers keep what they have parsed.
class Maker {
 public:
  explicit Maker(const Space& space)
      : space_(space),
        plain_(space.catalogue, space.templates),
        with_snippets_(space.catalogue, space.templates, space.snippets) {}

  // The text is that of the key without its choice of ptxas.
  Result<Made> make(const VariantKey& any, Build build) {
    const VariantKey key = text_key(any);
    Made made;
    PHASEBIT_TRY_ASSIGN(plan, make_plan(space_.catalogue, template_key(key)));
    made.plan = std::move(plan);
    if (const std::string fork = key.value(tuned_axis); !fork.empty()) {
      PHASEBIT_TRY(read(made, fork, key));
    } else {
      PHASEBIT_TRY(render(made, key));
    }
    if (build == Build::guarded) PHASEBIT_TRY(guard(made, key));
    return made;
  }

 private:
  static Status guard(Made& made, const VariantKey& key) {
    PHASEBIT_TRY_ASSIGN(guarded, guard_kernel(made.rendered.kernel, entry_name(key, Build::guarded),
                                              bounds_of(made.plan.launch)));
    made.sites = std::move(guarded.sites);
    Rendered& rendered = made.rendered;
    rendered.kernel = std::move(guarded.kernel);
    rendered.listing.clear();
    for (std::size_t n = 0; n < rendered.kernel.statements.size(); ++n)
      rendered.listing.push_back({rendered.kernel.statements[n], rendered.kernel.source[n]});
    return {};
  }

  Status read(Made& made, const std::string& name, const VariantKey& key) {
    for (const Fork& fork : space_.forks) {
      if (fork.name != name) continue;
      PHASEBIT_TRY_ASSIGN(rendered, fork_kernel(fork, key, Build::timed));
      made.rendered = std::move(rendered);
      made.gates = fork.gates;
      return {};
    }
    bug(fmt::format("no fork '{}' in the space", name));
  }

  Status render(Made& made, const VariantKey& key) {
    PHASEBIT_TRY_ASSIGN(needs, requirements(space_.catalogue, template_key(key)));
    const bool snippets = has_snippets(key);
    if (snippets)
      for (const Snippet& snippet : space_.snippets) {
        needs.ptx = std::max(needs.ptx, snippet.ptx);
        needs.sm = std::max(needs.sm, snippet.sm);
        made.gates.push_back(snippet.gate);
      }
    PHASEBIT_TRY_ASSIGN(target, declared_target(key, needs, space_.target));
    Renderer& renderer = snippets ? with_snippets_ : plain_;
    PHASEBIT_TRY_ASSIGN(rendered,
                        renderer.render(key, made.plan, Build::timed, needs.ptx.text(), target));
    made.rendered = std::move(rendered);
    return {};
  }

  const Space& space_;
  Renderer plain_, with_snippets_;
};

}  // namespace

GuardTable guard_table(const Prepared& guarded) {
  GuardTable table{guarded.sites, {}};
  const bool flags = std::any_of(table.sites.begin(), table.sites.end(),
                                 [](const WaitSite& site) { return site.kind == WaitKind::flag; });
  const Plan& plan = guarded.plan;
  const char* kind = flags ? "flag" : "barrier";
  for (const auto& [name, base] : {std::pair{"full", 0}, std::pair{"empty", plan.empty_offset}})
    table.barriers.push_back({fmt::format("{}_{}", name, kind), base, 8, plan.num_stages});
  return table;
}

Result<Rendered> render_one(const fs::path& templates, const Catalogue& catalogue,
                            const VariantKey& variant, Build build) {
  Renderer renderer(catalogue, templates);
  PHASEBIT_TRY_ASSIGN(plan, make_plan(catalogue, variant));
  PHASEBIT_TRY_ASSIGN(needs, requirements(catalogue, variant));
  PHASEBIT_TRY_ASSIGN(target, declared_target(variant, needs, {}));
  return renderer.render(variant, plan, build, needs.ptx.text(), target);
}

Result<Rendered> render_one(const Space& space, const VariantKey& variant, Build build) {
  PHASEBIT_TRY_ASSIGN(made, Maker(space).make(variant, build));
  return std::move(made.rendered);
}

Result<std::vector<Prepared>> prepare(const Space& space, Build build, unsigned jobs) {
  return prepare(space, space.expansion.variants, build, jobs);
}

Result<std::vector<Prepared>> prepare(const Space& space, const std::vector<VariantKey>& variants,
                                      Build build, unsigned jobs) {
  if (jobs == 0) jobs = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::optional<Result<Made>>> made(variants.size());
  parallel_for(jobs, jobs, [&](size_t thread) {
    Maker maker(space);
    for (size_t i = thread; i < variants.size(); i += jobs)
      made[i] = maker.make(variants[i], build);
  });
  std::vector<Prepared> prepared;
  prepared.reserve(variants.size());
  for (size_t i = 0; i < variants.size(); ++i) {
    Result<Made>& one = *made[i];
    if (!one) return tl::unexpected<Error>(one.error());
    prepared.push_back({variants[i], std::move(one->plan), std::move(one->rendered.kernel),
                        std::move(one->gates), std::move(one->sites)});
  }
  return prepared;
}

}  // namespace phasebit
