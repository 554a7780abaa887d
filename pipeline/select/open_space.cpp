#include "pipeline/select/open_space.h"

#include "core/base/nearest.h"
#include "gen/fork/snippet.h"
#include "gen/render/head_key.h"
#include "gen/space/hand_made.h"
#include "gen/space/typed_id.h"
#include "pipeline/select/choices.h"
#include "pipeline/select/ptx_files.h"
#include "pipeline/select/snippets.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <sstream>

namespace phasebit {
namespace {

// As it is named from the current folder, else one that came with the program: specs/curated.toml.
fs::path spec_file(const std::string& named) {
  if (named.empty()) return data_root() / "specs" / "core.toml";
  std::error_code ignored;
  const fs::path shipped = data_root() / named;
  return !fs::exists(named, ignored) && fs::exists(shipped, ignored) ? shipped : fs::path(named);
}

Result<Spec> load_spec_of(const SpaceRequest& request, const Catalogue& catalogue) {
  return load_spec(spec_file(request.spec), catalogue);
}

// Which axis of the command line left no point, or what pruned most of them.
tl::unexpected<Error> all_pruned(const SpaceRequest& request, const Catalogue& catalogue,
                                 const Spec& spec, const std::vector<std::string>& overrides) {
  std::string who = fmt::format("sweep '{}'", request.sweep);
  for (size_t n = 0; n < overrides.size(); ++n) {
    std::vector<std::string> others = overrides;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(n));
    const auto without = expand(catalogue, spec, request.sweep, others);
    if (!without || without->variants.empty()) continue;
    who = "-a " + overrides[n];
    break;
  }
  const auto empty = expand(catalogue, spec, request.sweep, overrides);
  std::string most = "it has no points";
  int points = 0;
  if (empty)
    for (const auto& [reason, count] : empty->pruned)
      if (count > points) points = count, most = fmt::format("{} points pruned: {}", count, reason);
  return with_hint(fail(Step::usage, "{}: no variant is left", who), most);
}

// The known variant whose id is nearest to one that is none.
std::string nearest_variant(const Catalogue& catalogue, const std::string& id) {
  const auto spec = load_spec_of({}, catalogue);
  if (!spec) return {};
  const auto expansion = expand(catalogue, *spec, "core");
  if (!expansion || expansion->variants.empty()) return {};
  const auto nearest = std::min_element(expansion->variants.begin(), expansion->variants.end(),
                                        [&](const VariantKey& a, const VariantKey& b) {
                                          return edit_distance(a.id, id) < edit_distance(b.id, id);
                                        });
  return fmt::format("the nearest variant is {}", nearest->id);
}

// Each fork behind its parent. With `tuned_only` the parents replace what was there.
Status add_forks(Space& space, bool tuned_only) {
  PHASEBIT_TRY_ASSIGN(forks, read_forks(tuned_folder()));
  std::vector<VariantKey>& variants = space.expansion.variants;
  if (tuned_only) variants.clear();
  for (const Fork& fork : forks) {
    const auto parent = parent_of(space.catalogue, fork);
    if (!parent) {
      fmt::print(stderr, "note: {}\n", parent.error().text());
      continue;
    }
    PHASEBIT_TRY(check_head_key(space.catalogue, fork.kernel.head));
    auto at = std::find_if(variants.begin(), variants.end(),
                           [&](const VariantKey& one) { return one.id == parent->id; });
    if (at == variants.end() && !tuned_only) continue;
    if (at == variants.end()) at = variants.insert(at, *parent);
    const auto next = std::find_if(at + 1, variants.end(), [](const VariantKey& one) {
      return one.value(tuned_axis).empty();
    });
    variants.insert(next, fork.key());
    space.files.push_back(fork.kernel);
  }
  if (tuned_only && variants.empty())
    return fail(Step::usage, "no fork under {}", tuned_folder().string());
  return {};
}

Result<VariantKey> fork_by_id(Space& space, const TypedId& id) {
  PHASEBIT_TRY_ASSIGN(fork, read_fork(tuned_folder(), id.fork));
  PHASEBIT_TRY_ASSIGN(parent, parent_of(space.catalogue, fork));
  if (parent.id != id.variant)
    return with_hint(fail(Step::usage, "fork '{}' is none of {}", id.fork, id.variant),
                     fmt::format("it is {}", fork.key().id));
  PHASEBIT_TRY(check_head_key(space.catalogue, fork.kernel.head));
  space.files.push_back(fork.kernel);
  return fork.key();
}

// One id a line; "#" begins a comment.
Result<std::vector<std::string>> read_ids(const std::string& file) {
  PHASEBIT_TRY_ASSIGN(text, read_file(file));
  std::vector<std::string> ids;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    if (std::string id; words >> id) ids.push_back(id);
  }
  if (ids.empty()) return fail(Step::usage, "--variants {}: no id in it", file);
  return ids;
}

}  // namespace

Result<Space> open_space(const SpaceRequest& request, Forks forks) {
  if (!request.variants.empty()) {
    PHASEBIT_TRY_ASSIGN(ids, read_ids(request.variants));
    return open_ids(request, ids);
  }
  if (!request.files.empty()) return open_files(request, request.files);
  PHASEBIT_TRY_ASSIGN(catalogue, load_catalogue(request));
  PHASEBIT_TRY_ASSIGN(spec, load_spec_of(request, catalogue));
  PHASEBIT_TRY_ASSIGN(sweep, spec.find(request.sweep));
  std::vector<std::string> overrides;
  PHASEBIT_TRY_ASSIGN(assemblers, assembler_axes(request, sweep->assembler, overrides));
  PHASEBIT_TRY_ASSIGN(expansion, expand(catalogue, spec, request.sweep, overrides));
  PHASEBIT_TRY_ASSIGN(snippets, read_snippets(request, catalogue, sweep));
  Space space{templates_folder(request), std::move(catalogue), std::move(expansion), {}};
  std::vector<VariantKey>& variants = space.expansion.variants;
  const std::vector<AssemblerChoice> choices = combinations(assemblers);
  if (variants.empty()) return all_pruned(request, space.catalogue, spec, overrides);
  add_snippets(variants, snippets);
  if (forks == Forks::included) PHASEBIT_TRY(add_forks(space, request.tuned_only));
  PHASEBIT_TRY(choose(request, choices, variants));
  PHASEBIT_TRY(lay_snippets(space, snippets));
  return space;
}

namespace {

Result<Space> open_text(const SpaceRequest& request, const TypedId& id) {
  PHASEBIT_TRY_ASSIGN(catalogue, load_catalogue(request));
  PHASEBIT_TRY_ASSIGN(snippets, read_snippets(request, catalogue, nullptr));
  Space space{templates_folder(request), std::move(catalogue), {}, {}};
  std::vector<VariantKey>& variants = space.expansion.variants;
  if (!id.fork.empty()) {
    PHASEBIT_TRY_ASSIGN(key, fork_by_id(space, id));
    variants = {key};
    return space;
  }
  Expansion known;
  if (id.variant.find('/') == std::string::npos) {
    SpaceRequest plain = request;
    plain.snippets.clear();
    PHASEBIT_TRY_ASSIGN(all, open_space(plain));
    known = std::move(all.expansion);
  }
  PHASEBIT_TRY_ASSIGN(key, parse_variant(space.catalogue, id.variant, &known));
  variants = {snippet_key(key, snippets)};
  if (id.snippets && variants.front().id != id.text)
    return with_hint(
        fail(Step::usage, "{}: the snippets given make {}", id.text, variants.front().id),
        "an id does not hold a snippet's text: give --snippet VERB=FILE");
  PHASEBIT_TRY(lay_snippets(space, snippets));
  return space;
}

}  // namespace

Result<Space> open_one(const SpaceRequest& request, const std::string& id_or_hash) {
  if (is_ptx_file(id_or_hash)) return open_one_file(request, id_or_hash);
  PHASEBIT_TRY_ASSIGN(id, read_typed_id(id_or_hash));
  std::vector<std::string> none;
  PHASEBIT_TRY_ASSIGN(asked, assembler_axes(request, {}, none));
  if (combinations(asked).size() != 1)
    return fail(Step::usage, "{}: one variant has one ptxas", id_or_hash);
  PHASEBIT_TRY_ASSIGN(space, open_text(request, id));
  VariantKey& key = space.expansion.variants.front();
  // A hash may name a variant with a choice of its own.
  AssemblerChoice choice = id.choice == AssemblerChoice() ? assembler_of(key) : id.choice;
  if (!asked.ptxas.empty()) choice.ptxas = asked.ptxas.front();
  if (!asked.opt_level.empty()) choice.opt_level = asked.opt_level.front();
  if (!asked.maxrregcount.empty()) choice.maxrregcount = asked.maxrregcount.front();
  if (!asked.edit.empty()) choice.edit = asked.edit.front();
  key = with_assembler(key, choice);
  return space;
}

Result<Space> open_ids(const SpaceRequest& request, const std::vector<std::string>& ids) {
  PHASEBIT_TRY_ASSIGN(catalogue, load_catalogue(request));
  Space space{templates_folder(request), std::move(catalogue), {}, {}};
  for (const std::string& one : ids) {
    PHASEBIT_TRY_ASSIGN(id, read_typed_id(one));
    auto key = id.fork.empty() ? parse_variant(space.catalogue, id.text) : fork_by_id(space, id);
    if (!key) return tl::unexpected<Error>(key.error());
    space.expansion.variants.push_back(with_assembler(*key, id.choice));
  }
  return space;
}

Result<VariantKey> parent_of(const Catalogue& catalogue, const Fork& fork) {
  const auto parent = parse_variant(catalogue, fork.parent());
  const std::string gone =
      fmt::format("fork '{}': its parent {} is no variant any more", fork.name, fork.parent());
  if (!parent)
    return with_hint(fail(Step::spec, "{} ({})", gone, parent.error().text()),
                     nearest_variant(catalogue, fork.parent()));
  if (parent->id != fork.parent())
    return with_hint(fail(Step::spec, "{}", gone), fmt::format("it is called {} now", parent->id));
  return *parent;
}

}  // namespace phasebit
