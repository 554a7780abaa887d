#include "pipeline/select/open_sweep.h"

#include "core/base/nearest.h"
#include "gen/render/head_key.h"
#include "gen/render/head_plan.h"
#include "gen/space/hand_made.h"
#include "pipeline/select/choices.h"
#include "pipeline/select/given.h"
#include "pipeline/select/snippets.h"

#include <algorithm>
#include <cstdio>

namespace phasebit::pipeline::select {

using base::Home;
using catalogue::Catalogue;
using image::VariantKey;
using space::expand;
using space::Spec;

namespace {

constexpr const char* default_sweep = "core";  // of the spec that nobody names

Result<Spec> load_spec_of(const SpaceRequest& request, const Catalogue& catalogue) {
  return space::load_spec(request.home, spec_file(request.home, request.spec), catalogue);
}

// The sweep named; without a name that of the project's own spec, or the only one of another.
Result<const space::Sweep*> chosen_sweep(const SpaceRequest& request, const Spec& spec) {
  if (!request.sweep.empty()) return spec.find(request.sweep);
  if (request.spec.empty()) return spec.find(default_sweep);
  if (spec.sweeps.size() == 1) return &spec.sweeps.front();
  std::vector<std::string> names;
  for (const space::Sweep& sweep : spec.sweeps) names.push_back(sweep.name);
  return with_hint(fail(Step::usage, "{}: {} sweeps, and none is named", spec.file, names.size()),
                   fmt::format("--sweep, one of: {}", fmt::join(names, ", ")));
}

// Which axis of the command line left no point, or what pruned most of them.
tl::unexpected<Error> all_pruned(const Catalogue& catalogue, const Spec& spec,
                                 const std::string& sweep,
                                 const std::vector<std::string>& overrides) {
  std::string who = fmt::format("sweep '{}'", sweep);
  for (size_t n = 0; n < overrides.size(); ++n) {
    std::vector<std::string> others = overrides;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(n));
    const auto without = expand(catalogue, spec, sweep, others);
    if (!without || without->variants.empty()) continue;
    who = "-a " + overrides[n];
    break;
  }
  const auto empty = expand(catalogue, spec, sweep, overrides);
  std::string most = "it has no points";
  int points = 0;
  if (empty)
    for (const auto& [reason, count] : empty->pruned)
      if (count > points) points = count, most = fmt::format("{} points pruned: {}", count, reason);
  return with_hint(fail(Step::usage, "{}: no variant is left", who), most);
}

// The known variant whose id is nearest to one that is none.
std::string nearest_variant(const Home& home, const Catalogue& catalogue, const std::string& id) {
  const auto spec = space::load_spec(home, spec_file(home, ""), catalogue);
  if (!spec) return {};
  const auto expansion = expand(catalogue, *spec, default_sweep);
  if (!expansion || expansion->variants.empty()) return {};
  const auto nearest =
      std::min_element(expansion->variants.begin(), expansion->variants.end(),
                       [&](const VariantKey& a, const VariantKey& b) {
                         return base::edit_distance(a.id, id) < base::edit_distance(b.id, id);
                       });
  return fmt::format("the nearest variant is {}", nearest->id);
}

// A fork that is broken stops itself alone.
void print_note(const Error& error) {
  fmt::print(stderr, "note: {}\n", error.text());
}

// The parent of a fork whose head is right.
Result<VariantKey> checked_parent(const Home& home, const Catalogue& catalogue,
                                  const fork::Fork& fork) {
  PHASEBIT_TRY_ASSIGN(parent, parent_of(home, catalogue, fork));
  PHASEBIT_TRY_ASSIGN(own, render::check_head_key(catalogue, fork.kernel.head));
  PHASEBIT_TRY(render::check_head_plan(catalogue, fork.kernel.head, own));
  return parent;
}

// Each fork behind its parent. With `tuned_only` the parents replace what was there.
Status add_forks(Space& space, const SpaceRequest& request) {
  const bool tuned_only = request.tuned_only;
  const fork::FoundForks found = fork::read_forks(request.home);
  for (const Error& error : found.broken) print_note(error);
  std::vector<VariantKey>& variants = space.expansion.variants;
  if (tuned_only) variants.clear();
  for (const fork::Fork& fork : found.forks) {
    const auto parent = checked_parent(request.home, space.catalogue, fork);
    if (!parent) {
      print_note(parent.error());
      continue;
    }
    auto at = std::find_if(variants.begin(), variants.end(),
                           [&](const VariantKey& one) { return one.id == parent->id; });
    if (at == variants.end() && !tuned_only) continue;
    if (at == variants.end()) at = variants.insert(at, *parent);
    const auto next = std::find_if(at + 1, variants.end(), [](const VariantKey& one) {
      return one.value(space::tuned_axis).empty();
    });
    variants.insert(next, fork.key());
    space.files.push_back(fork.kernel);
  }
  if (tuned_only && variants.empty())
    return fail(Step::usage, "no fork under {}", fork::tuned_folder(request.home).string());
  return {};
}

// Forks and their parents take the place of a sweep.
Status check_tuned(const SpaceRequest& request) {
  if (!request.tuned_only) return {};
  PHASEBIT_TRY(take_only(request, {"--tuned", "-a", "--toolchain", "--filter", "--limit"},
                         "--tuned", "forks and their parents stand in the place of a sweep"));
  std::vector<std::string> axes;
  PHASEBIT_TRY(assembler_axes(request, {}, axes));
  return refuse_text_axes(axes, "a fork", "beside --tuned");
}

}  // namespace

fs::path spec_file(const Home& home, const std::string& named) {
  if (named.empty()) return home.data / "specs" / "core.toml";
  std::error_code ignored;
  const fs::path shipped = home.data / named;
  return !fs::exists(named, ignored) && fs::exists(shipped, ignored) ? shipped : fs::path(named);
}

Result<Space> open_sweep(const SpaceRequest& request, Forks forks) {
  PHASEBIT_TRY(check_tuned(request));
  PHASEBIT_TRY_ASSIGN(catalogue, load_catalogue(request));
  PHASEBIT_TRY_ASSIGN(spec, load_spec_of(request, catalogue));
  PHASEBIT_TRY_ASSIGN(sweep, chosen_sweep(request, spec));
  std::vector<std::string> overrides;
  PHASEBIT_TRY_ASSIGN(assemblers, assembler_axes(request, sweep->assembler, overrides));
  PHASEBIT_TRY_ASSIGN(expansion, expand(catalogue, spec, sweep->name, overrides));
  PHASEBIT_TRY_ASSIGN(snippets, read_snippets(request, catalogue, sweep));
  Space space{templates_folder(request), std::move(catalogue), std::move(expansion), {}};
  space.sweep = sweep->name;
  std::vector<VariantKey>& variants = space.expansion.variants;
  const std::vector<ptxas::AssemblerChoice> choices = ptxas::combinations(assemblers);
  if (variants.empty()) return all_pruned(space.catalogue, spec, sweep->name, overrides);
  add_snippets(variants, snippets);
  if (forks == Forks::included) PHASEBIT_TRY(add_forks(space, request));
  PHASEBIT_TRY(choose(request, choices, variants));
  PHASEBIT_TRY(lay_snippets(space, snippets));
  return space;
}

Result<VariantKey> parent_of(const Home& home, const Catalogue& catalogue, const fork::Fork& fork) {
  const auto parent = space::parse_variant(catalogue, fork.parent());
  const std::string gone =
      fmt::format("fork '{}': its parent {} is no variant any more", fork.name, fork.parent());
  if (!parent)
    return with_hint(fail(Step::spec, "{} ({})", gone, parent.error().text()),
                     nearest_variant(home, catalogue, fork.parent()));
  if (parent->id != fork.parent())
    return with_hint(fail(Step::spec, "{}", gone), fmt::format("it is called {} now", parent->id));
  return *parent;
}

}  // namespace phasebit::pipeline::select
