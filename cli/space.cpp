#include "cli/space.h"

#include "cli/choices.h"
#include "cli/ptx_files.h"
#include "core/base/nearest.h"
#include "gen/head_key.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <sstream>

namespace phasebit {
namespace {

// Every n-th variant, so that a limited sweep still has all kinds of them.
void keep_spread(std::vector<VariantKey>& variants, size_t limit) {
  if (limit == 0 || variants.size() <= limit) return;
  std::vector<VariantKey> kept;
  for (size_t i = 0; i < limit; ++i)
    kept.push_back(std::move(variants[i * variants.size() / limit]));
  variants = std::move(kept);
}

Result<Spec> load_spec_of(const SpaceRequest& request, const Catalogue& catalogue) {
  return load_spec(
      request.spec.empty() ? data_root() / "specs" / "core.toml" : fs::path(request.spec),
      catalogue);
}

// Those of the sweep, then those of the command line; each verb once.
Result<std::vector<Snippet>> read_snippets(const SpaceRequest& request, const Sweep* sweep) {
  std::vector<Snippet> snippets;
  if (sweep != nullptr)
    for (const SweepSnippet& named : sweep->snippets) {
      PHASEBIT_TRY_ASSIGN(snippet, read_snippet(named.verb, named.file).map_error([&](Error error) {
        error.message = fmt::format("{}: {}", named.where, error.message);
        return error;
      }));
      snippets.push_back(std::move(snippet));
    }
  for (const std::string& assignment : request.snippets) {
    PHASEBIT_TRY_ASSIGN(snippet, read_snippet(assignment));
    snippets.push_back(std::move(snippet));
  }
  for (size_t i = 0; i < snippets.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (snippets[i].verb == snippets[j].verb)
        return fail(Step::usage, "two snippets for '{}': {} and {}", snippets[i].verb,
                    snippets[j].path.string(), snippets[i].path.string());
  return snippets;
}

Status check_protocols(const Catalogue& catalogue, const std::vector<Snippet>& snippets) {
  for (const Snippet& snippet : snippets)
    if (!snippet.protocol.empty())
      if (const Status known = catalogue.check_value("protocol", snippet.protocol); !known)
        return with_hint(fail(Step::spec, "{}: {}", snippet.path.string(), known.error().message),
                         known.error().hint);
  return {};
}

bool takes(const VariantKey& variant, const std::vector<Snippet>& snippets) {
  return std::all_of(snippets.begin(), snippets.end(), [&](const Snippet& snippet) {
    return snippet.protocol.empty() || snippet.protocol == variant.value("protocol");
  });
}

void add_snippets(Space& space) {
  if (space.snippets.empty()) return;
  std::vector<VariantKey> all;
  for (VariantKey& variant : space.expansion.variants) {
    all.push_back(std::move(variant));
    if (takes(all.back(), space.snippets)) all.push_back(snippet_key(all.back(), space.snippets));
  }
  space.expansion.variants = std::move(all);
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

Result<VariantKey> fork_by_id(Space& space, const ForkId& id) {
  PHASEBIT_TRY_ASSIGN(fork, read_fork(tuned_folder(), id.name));
  PHASEBIT_TRY_ASSIGN(parent, parent_of(space.catalogue, fork));
  if (parent.id != id.parent)
    return with_hint(fail(Step::usage, "fork '{}' is none of {}", id.name, id.parent),
                     fmt::format("it is {}", fork.key().id));
  PHASEBIT_TRY(check_head_key(space.catalogue, fork.kernel.head));
  space.files.push_back(fork.kernel);
  return fork.key();
}

}  // namespace

fs::path templates_folder(const SpaceRequest& request) {
  return request.templates.empty() ? data_root() / "templates" : fs::path(request.templates);
}

Result<Catalogue> load_catalogue(const SpaceRequest& request) {
  return Catalogue::load(templates_folder(request));
}

namespace {

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
  PHASEBIT_TRY_ASSIGN(snippets, read_snippets(request, sweep));
  PHASEBIT_TRY(check_protocols(catalogue, snippets));
  Space space{templates_folder(request),
              std::move(catalogue),
              std::move(expansion),
              std::move(snippets),
              {}};
  std::vector<VariantKey>& variants = space.expansion.variants;
  const std::vector<AssemblerChoice> choices = combinations(assemblers);
  // Before the choices of ptxas stand in the ids: those that will pass with one of them.
  const auto filter = [&] {
    std::erase_if(variants, [&](const VariantKey& variant) {
      return std::none_of(choices.begin(), choices.end(), [&](const AssemblerChoice& choice) {
        return with_assembler(variant, choice).id.find(request.filter) != std::string::npos;
      });
    });
  };
  add_snippets(space);
  if (forks == Forks::left_out || request.limit > 0) filter();
  keep_spread(variants, static_cast<size_t>(request.limit));
  if (forks == Forks::included) PHASEBIT_TRY(add_forks(space, request.tuned_only));
  add_choices(variants, choices);
  std::erase_if(variants, [&](const VariantKey& variant) {
    return variant.id.find(request.filter) == std::string::npos;
  });
  return space;
}

namespace {

Result<Space> open_text(const SpaceRequest& request, const std::string& id_or_hash) {
  PHASEBIT_TRY_ASSIGN(catalogue, load_catalogue(request));
  PHASEBIT_TRY_ASSIGN(snippets, read_snippets(request, nullptr));
  PHASEBIT_TRY(check_protocols(catalogue, snippets));
  Space space{templates_folder(request), std::move(catalogue), {}, std::move(snippets), {}};
  std::vector<VariantKey>& variants = space.expansion.variants;
  const ForkId fork = split_fork_id(id_or_hash);
  if (!fork.name.empty()) {
    PHASEBIT_TRY_ASSIGN(key, fork_by_id(space, fork));
    variants = {key};
    return space;
  }
  const size_t snippet_at = id_or_hash.find(fmt::format("/{}", snippet_axis));
  if (id_or_hash.find('/') != std::string::npos) {
    PHASEBIT_TRY_ASSIGN(key, parse_variant(space.catalogue, id_or_hash.substr(0, snippet_at)));
    variants = {key};
  } else {
    SpaceRequest plain = request;
    plain.snippets.clear();
    PHASEBIT_TRY_ASSIGN(all, open_space(plain));
    PHASEBIT_TRY_ASSIGN(key, parse_variant(space.catalogue, id_or_hash, &all.expansion));
    variants = {key};
  }
  if (!space.snippets.empty()) variants = {snippet_key(variants.front(), space.snippets)};
  if (snippet_at != std::string::npos && variants.front().id != id_or_hash)
    return with_hint(
        fail(Step::usage, "{}: the snippets given make {}", id_or_hash, variants.front().id),
        "an id does not hold a snippet's text: give --snippet VERB=FILE");
  return space;
}

}  // namespace

Result<Space> open_one(const SpaceRequest& request, const std::string& id_or_hash) {
  if (is_ptx_file(id_or_hash)) return open_one_file(request, id_or_hash);
  PHASEBIT_TRY_ASSIGN(id, split_assembler_id(id_or_hash));
  std::vector<std::string> none;
  PHASEBIT_TRY_ASSIGN(asked, assembler_axes(request, {}, none));
  if (combinations(asked).size() != 1)
    return fail(Step::usage, "{}: one variant has one ptxas", id_or_hash);
  PHASEBIT_TRY_ASSIGN(space, open_text(request, id.text_id));
  VariantKey& key = space.expansion.variants.front();
  // A hash may name a variant with a choice of its own.
  AssemblerChoice choice = id.text_id == id_or_hash ? assembler_of(key) : id.choice;
  if (!asked.ptxas.empty()) choice.ptxas = asked.ptxas.front();
  if (!asked.opt_level.empty()) choice.opt_level = asked.opt_level.front();
  if (!asked.maxrregcount.empty()) choice.maxrregcount = asked.maxrregcount.front();
  if (!asked.edit.empty()) choice.edit = asked.edit.front();
  key = with_assembler(key, choice);
  return space;
}

Result<Space> open_ids(const SpaceRequest& request, const std::vector<std::string>& ids) {
  PHASEBIT_TRY_ASSIGN(catalogue, load_catalogue(request));
  Space space{templates_folder(request), std::move(catalogue), {}, {}, {}};
  for (const std::string& one : ids) {
    PHASEBIT_TRY_ASSIGN(id, split_assembler_id(one));
    const ForkId fork = split_fork_id(id.text_id);
    auto key =
        fork.name.empty() ? parse_variant(space.catalogue, id.text_id) : fork_by_id(space, fork);
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
