#include "join/select/open_space.h"

#include "core/base/text.h"
#include "gen/kernel/head_plan.h"
#include "gen/kernel/snippet.h"
#include "gen/space/compilers.h"
#include "gen/space/hand_made.h"
#include "gen/space/point.h"
#include "join/select/choices.h"
#include "join/select/ptx_files.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <set>
#include <sstream>

namespace phasebit::join::select {

using base::Home;
using launch::VariantKey;
using space::AxisValues;
using space::Catalogue;
using space::CompilerChoice;
using space::expand;
using space::Expansion;
using space::Spec;

Result<Space> open_space(const SpaceRequest& request, Forks forks) {
  if (!request.files.empty()) return open_files(request, request.files);
  if (!request.kernel.empty())
    return fail(Step::usage, "--kernel {}: it is for files, and there is none", request.kernel);
  if (!request.variants.empty() || !request.ids.empty()) return open_listed(request);
  return open_sweep(request, forks);
}

Result<Space> open_together(const SpaceRequest& request, Forks forks) {
  if (request.files.empty() || (request.spec.empty() && request.sweep.empty()))
    return open_space(request, forks);
  PHASEBIT_TRY(take_only(request, {"--spec", "--sweep", "-a", "--toolchain", "--filter"},
                         "files with a sweep", "pack them apart to choose among them"));
  SpaceRequest sweep = request, files = request;
  sweep.files.clear();
  files.spec.clear();
  files.sweep.clear();
  PHASEBIT_TRY_ASSIGN(space, open_space(sweep, forks));
  // What makes the sweep's PTX does not concern files, which are PTX already.
  std::erase_if(files.overrides, [&](const std::string& one) {
    return space::is_llvm_axis(space.catalogue, one.substr(0, one.find('=')));
  });
  PHASEBIT_TRY_ASSIGN(read, open_files(files, files.files));
  append(space, std::move(read));
  return std::move(space);
}

void append(Space& space, Space more) {
  const auto move_behind = [](auto& to, auto& from) {
    to.insert(to.end(), std::move_iterator(from.begin()), std::move_iterator(from.end()));
  };
  move_behind(space.expansion.variants, more.expansion.variants);
  move_behind(space.files, more.files);
}

namespace {

Result<Space> open_text(const SpaceRequest& request, Catalogue catalogue,
                        const space::TypedId& id) {
  PHASEBIT_TRY_ASSIGN(snippets, read_snippets(request, catalogue, nullptr));
  Space space{templates_folder(request), std::move(catalogue), {}, {}};
  std::vector<VariantKey>& variants = space.expansion.variants;
  if (!id.fork.empty()) {
    PHASEBIT_TRY_ASSIGN(key, fork_by_id(request.home, space, id));
    if (!snippets.empty())
      return fail(Step::usage, "--snippet: fork '{}' is made by hand itself", id.fork);
    variants = {key};
    return space;
  }
  space::Expansion known;
  if (id.variant.find('/') == std::string::npos) {
    SpaceRequest plain = request;
    plain.snippets.clear();
    PHASEBIT_TRY_ASSIGN(all, open_sweep(plain));
    known = std::move(all.expansion);
  }
  PHASEBIT_TRY_ASSIGN(key, space::parse_variant(space.catalogue, id.variant, &known));
  variants = {kernel::snippet_key(key, snippets)};
  if (id.snippets && variants.front().id != id.text)
    return with_hint(
        fail(Step::usage, "{}: the snippets given make {}", id.text, variants.front().id),
        "an id does not hold a snippet's text: give --snippet VERB=FILE");
  PHASEBIT_TRY(lay_snippets(space, snippets));
  return space;
}

// What is asked for of a variant that an id names, which says itself which axes it has. A hash
// names one of a sweep, whose axes may be any.
Result<std::vector<AxisValues>> asked_of(const SpaceRequest& request, const Catalogue& catalogue,
                                         const std::string& id) {
  std::vector<std::string> of_sweep;
  if (is_hash(id)) return compiler_axes(request, catalogue, {}, of_sweep);
  PHASEBIT_TRY(take_only(request, {"-a", "--toolchain", "--snippet"}, id,
                         "an id names any variant, whatever the sweep; a hash is of a sweep"));
  return compiler_axes_alone(request, catalogue, id, "with an id");
}

// What is asked for with an id that says otherwise would make another variant than it names.
Status refuse_others(const std::string& id, const std::vector<AxisValues>& named,
                     const std::vector<AxisValues>& asked) {
  for (const AxisValues& own : named)
    for (const AxisValues& other : asked)
      if (own.axis == other.axis && own.values.front() != other.values.front())
        return with_hint(fail(Step::usage, "{}: it is {}={}, and {}={} is asked for", id, own.axis,
                              own.values.front(), own.axis, other.values.front()),
                         fmt::format("leave {}-a {} out, or give the id without it",
                                     own.axis == "ptxas" ? "--toolchain and " : "", own.axis));
  return {};
}

}  // namespace

Result<Space> open_one(const SpaceRequest& request, const std::string& id_or_hash) {
  if (is_ptx_file(id_or_hash)) return open_one_file(request, id_or_hash);
  PHASEBIT_TRY_ASSIGN(catalogue, load_catalogue(request));
  PHASEBIT_TRY_ASSIGN(id, space::read_typed_id(request.home, catalogue, id_or_hash));
  PHASEBIT_TRY_ASSIGN(asked, asked_of(request, catalogue, id_or_hash));
  if (space::combinations(catalogue, asked).size() != 1)
    return fail(Step::usage, "{}: one variant has one ptxas", id_or_hash);
  PHASEBIT_TRY_ASSIGN(space, open_text(request, std::move(catalogue), id));
  VariantKey& key = space.expansion.variants.front();
  std::vector<AxisValues> named = id.named;
  // A hash may name a variant with a choice of its own.
  if (id.choice.empty())
    for (const auto& [axis, value] : space::choice_of(space.catalogue, key))
      named.push_back({axis, {value}});
  PHASEBIT_TRY(refuse_others(id_or_hash, named, asked));
  named.insert(named.end(), asked.begin(), asked.end());
  key =
      space::with_choice(space.catalogue, key, space::combinations(space.catalogue, named).front());
  return space;
}

Result<SpaceRequest> request_of_side(const SpaceRequest& request, const std::string& word,
                                     const std::string& other) {
  SpaceRequest side = request;
  if (is_hash(word) || !is_hash(other)) return side;
  side.spec.clear();
  side.sweep.clear();
  PHASEBIT_TRY_ASSIGN(catalogue, load_catalogue(request));
  std::erase_if(side.overrides, [&](const std::string& text) {
    return catalogue.compiler(text.substr(0, text.find('='))) == nullptr;
  });
  return side;
}

std::vector<std::string> ids_in(const std::string& text) {
  std::vector<std::string> ids;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    if (std::string id; words >> id && !id.starts_with('#')) ids.push_back(id);
  }
  return ids;
}

namespace {

Result<std::vector<std::string>> read_ids(const std::string& file) {
  PHASEBIT_TRY_ASSIGN(text, base::read_file(file));
  std::vector<std::string> ids = ids_in(text);
  if (ids.empty()) return fail(Step::usage, "--variants {}: no id in it", file);
  return ids;
}

Result<std::vector<std::string>> ids_of(const SpaceRequest& request) {
  std::vector<std::string> ids = request.ids;
  if (request.variants.empty()) return ids;
  PHASEBIT_TRY_ASSIGN(more, read_ids(request.variants));
  ids.insert(ids.end(), more.begin(), more.end());
  return ids;
}

// Where the ids come from, for messages.
std::string source_of(const SpaceRequest& request) {
  return request.ids.empty() ? "--variants " + request.variants : "--id " + request.ids.front();
}

Result<std::vector<AxisValues>> check_request(const SpaceRequest& request,
                                              const Catalogue& catalogue, bool hashes) {
  std::vector<std::string_view> allowed = {"--variants", "--id",     "-a",     "--toolchain",
                                           "--snippet",  "--filter", "--limit"};
  if (hashes) allowed.insert(allowed.end(), {"--spec", "--sweep"});
  PHASEBIT_TRY(take_only(request, allowed, source_of(request),
                         "an id names any variant, whatever the sweep; hashes are of a sweep"));
  return compiler_axes_alone(request, catalogue, source_of(request), "with ids");
}

// The variants of the sweep that hashes are looked up in.
Result<Expansion> sweep_of(const SpaceRequest& request) {
  SpaceRequest plain;
  plain.home = request.home;
  plain.templates = request.templates;
  plain.spec = request.spec;
  plain.sweep = request.sweep;
  PHASEBIT_TRY_ASSIGN(space, open_sweep(plain));
  return std::move(space.expansion);
}

Result<VariantKey> named_variant(const Home& home, Space& space, const std::string& word,
                                 const Expansion* sweep) {
  PHASEBIT_TRY_ASSIGN(id, space::read_typed_id(home, space.catalogue, word));
  if (!id.fork.empty()) {
    PHASEBIT_TRY_ASSIGN(fork, fork_by_id(home, space, id));
    return space::with_choice(space.catalogue, fork, id.choice);
  }
  PHASEBIT_TRY_ASSIGN(key, space::parse_variant(space.catalogue, id.text, sweep));
  // A hash may name a variant with a choice of its own.
  return id.choice.empty() ? key : space::with_choice(space.catalogue, key, id.choice);
}

Result<std::vector<VariantKey>> keys_of(const Home& home, Space& space,
                                        const std::vector<std::string>& ids,
                                        const Expansion& sweep) {
  std::vector<VariantKey> keys;
  std::set<std::string> known;
  for (const std::string& word : ids) {
    PHASEBIT_TRY_ASSIGN(key, named_variant(home, space, word, &sweep));
    if (known.insert(key.id).second) keys.push_back(std::move(key));
  }
  return keys;
}

Status check_choices(const Catalogue& catalogue, const std::vector<VariantKey>& keys) {
  for (const VariantKey& key : keys)
    if (!space::choice_of(catalogue, key).empty())
      return with_hint(fail(Step::usage, "{} says itself how it is assembled", key.id),
                       "leave --toolchain and -a out, or the axes of its id");
  return {};
}

}  // namespace

Result<VariantKey> fork_by_id(const Home& home, Space& space, const space::TypedId& id) {
  PHASEBIT_TRY_ASSIGN(fork, kernel::read_fork(home, id.fork));
  PHASEBIT_TRY_ASSIGN(parent, parent_of(home, space.catalogue, fork));
  if (parent.id != id.variant)
    return with_hint(fail(Step::usage, "fork '{}' is none of {}", id.fork, id.variant),
                     fmt::format("it is {}", fork.key().id));
  PHASEBIT_TRY(kernel::complete_head(space.catalogue, fork.kernel.head));
  space.files.push_back(fork.kernel);
  return fork.key();
}

bool is_hash(const std::string& word) {
  return word.find('/') == std::string::npos && !is_ptx_file(word);
}

Result<Space> open_listed(const SpaceRequest& request) {
  PHASEBIT_TRY_ASSIGN(ids, ids_of(request));
  const bool hashes = std::any_of(ids.begin(), ids.end(), is_hash);
  PHASEBIT_TRY_ASSIGN(catalogue, load_catalogue(request));
  PHASEBIT_TRY_ASSIGN(asked, check_request(request, catalogue, hashes));
  Expansion sweep;
  if (hashes) {
    PHASEBIT_TRY_ASSIGN(found, sweep_of(request));
    sweep = std::move(found);
  }
  PHASEBIT_TRY_ASSIGN(snippets, read_snippets(request, catalogue, nullptr));
  Space space{templates_folder(request), std::move(catalogue), {}, {}};
  PHASEBIT_TRY_ASSIGN(keys, keys_of(request.home, space, ids, sweep));
  std::vector<CompilerChoice> choices = space::combinations(space.catalogue, asked);
  if (request.overrides.empty() && request.toolchains.empty())
    choices.clear();  // nothing was asked: each as its id says
  else
    PHASEBIT_TRY(check_choices(space.catalogue, keys));
  space.expansion.variants = std::move(keys);
  add_snippets(space.catalogue, snippets, space.expansion.variants);
  PHASEBIT_TRY(choose(request, space.catalogue, choices, space.expansion.variants));
  PHASEBIT_TRY(lay_snippets(space, snippets));
  return space;
}

Result<Space> open_ids(const SpaceRequest& request, const std::vector<std::string>& ids) {
  PHASEBIT_TRY_ASSIGN(catalogue, load_catalogue(request));
  Space space{templates_folder(request), std::move(catalogue), {}, {}};
  for (const std::string& one : ids) {
    PHASEBIT_TRY_ASSIGN(key, named_variant(request.home, space, one, nullptr));
    space.expansion.variants.push_back(std::move(key));
  }
  return space;
}

namespace {

constexpr const char* default_sweep = "core";  // of the default spec

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
                                  kernel::Fork& fork) {
  PHASEBIT_TRY_ASSIGN(parent, parent_of(home, catalogue, fork));
  PHASEBIT_TRY(kernel::complete_head(catalogue, fork.kernel.head));
  return parent;
}

// Each fork after its parent. With `tuned_only` the parents replace what was there.
Status add_forks(Space& space, const SpaceRequest& request) {
  const bool tuned_only = request.tuned_only;
  kernel::FoundForks found = kernel::read_forks(request.home);
  for (const Error& error : found.broken) print_note(error);
  std::vector<VariantKey>& variants = space.expansion.variants;
  if (tuned_only) variants.clear();
  for (kernel::Fork& fork : found.forks) {
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
    return fail(Step::usage, "no fork under {}", kernel::tuned_folder(request.home).string());
  return {};
}

// Forks and their parents take the place of a sweep.
Status check_tuned(const SpaceRequest& request, const Catalogue& catalogue) {
  if (!request.tuned_only) return {};
  PHASEBIT_TRY(take_only(request, {"--tuned", "-a", "--toolchain", "--filter", "--limit"},
                         "--tuned", "forks and their parents are in the place of a sweep"));
  return compiler_axes_alone(request, catalogue, "a fork", "with --tuned").map([](const auto&) {});
}

}  // namespace

fs::path spec_file(const Home& home, const std::string& named) {
  if (named.empty()) return home.data / "specs" / "core.toml";
  std::error_code ignored;
  const fs::path shipped = home.data / named;
  return !fs::exists(named, ignored) && fs::exists(shipped, ignored) ? shipped : fs::path(named);
}

Result<Space> open_sweep(const SpaceRequest& request, Forks forks) {
  PHASEBIT_TRY_ASSIGN(catalogue, load_catalogue(request));
  PHASEBIT_TRY(check_tuned(request, catalogue));
  PHASEBIT_TRY_ASSIGN(spec, load_spec_of(request, catalogue));
  PHASEBIT_TRY_ASSIGN(sweep, chosen_sweep(request, spec));
  std::vector<std::string> overrides;
  PHASEBIT_TRY_ASSIGN(asked, compiler_axes(request, catalogue, sweep->assembler, overrides));
  PHASEBIT_TRY_ASSIGN(expansion, expand(catalogue, spec, sweep->name, overrides));
  PHASEBIT_TRY_ASSIGN(snippets, read_snippets(request, catalogue, sweep));
  Space space{templates_folder(request), std::move(catalogue), std::move(expansion), {}};
  space.sweep = sweep->name;
  std::vector<VariantKey>& variants = space.expansion.variants;
  const std::vector<CompilerChoice> choices = space::combinations(space.catalogue, asked);
  if (variants.empty()) return all_pruned(space.catalogue, spec, sweep->name, overrides);
  add_snippets(space.catalogue, snippets, variants);
  if (forks == Forks::included) PHASEBIT_TRY(add_forks(space, request));
  PHASEBIT_TRY(choose(request, space.catalogue, choices, variants));
  PHASEBIT_TRY(lay_snippets(space, snippets));
  return space;
}

Result<VariantKey> parent_of(const Home& home, const Catalogue& catalogue,
                             const kernel::Fork& fork) {
  const auto parent = space::parse_variant(catalogue, fork.parent());
  const std::string gone =
      fmt::format("fork '{}': its parent {} is no longer a variant", fork.name, fork.parent());
  if (!parent)
    return with_hint(fail(Step::spec, "{} ({})", gone, parent.error().text()),
                     nearest_variant(home, catalogue, fork.parent()));
  if (parent->id != fork.parent())
    return with_hint(fail(Step::spec, "{}", gone), fmt::format("it is called {} now", parent->id));
  return *parent;
}

}  // namespace phasebit::join::select
