#include "pipeline/select/listed.h"

#include "gen/render/head_key.h"
#include "gen/render/head_plan.h"
#include "gen/space/typed_id.h"
#include "pipeline/select/choices.h"
#include "pipeline/select/given.h"
#include "pipeline/select/open_sweep.h"
#include "pipeline/select/ptx_files.h"
#include "pipeline/select/snippets.h"

#include <algorithm>
#include <set>
#include <sstream>

namespace phasebit::pipeline::select {

using base::Home;
using image::VariantKey;
using ptxas::AssemblerChoice;
using space::Expansion;

namespace {

// One id a line; a word that begins with "#" begins a comment (ids of forms have one inside).
Result<std::vector<std::string>> read_ids(const std::string& file) {
  PHASEBIT_TRY_ASSIGN(text, base::read_file(file));
  std::vector<std::string> ids;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    if (std::string id; words >> id && !id.starts_with('#')) ids.push_back(id);
  }
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

Status check_request(const SpaceRequest& request, bool hashes) {
  std::vector<std::string_view> allowed = {"--variants", "--id",     "-a",     "--toolchain",
                                           "--snippet",  "--filter", "--limit"};
  if (hashes) allowed.insert(allowed.end(), {"--spec", "--sweep"});
  PHASEBIT_TRY(take_only(request, allowed, source_of(request),
                         "an id names any variant, whatever the sweep; hashes are of a sweep"));
  std::vector<std::string> axes;
  PHASEBIT_TRY(assembler_axes(request, {}, axes));
  return refuse_text_axes(axes, source_of(request), "beside ids");
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
  PHASEBIT_TRY_ASSIGN(id, space::read_typed_id(home, word));
  if (!id.fork.empty()) {
    PHASEBIT_TRY_ASSIGN(fork, fork_by_id(home, space, id));
    return ptxas::with_assembler(fork, id.choice);
  }
  PHASEBIT_TRY_ASSIGN(key, space::parse_variant(space.catalogue, id.text, sweep));
  // A hash may name a variant with a choice of its own.
  return id.choice == AssemblerChoice() ? key : ptxas::with_assembler(key, id.choice);
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

Status check_choices(const std::vector<VariantKey>& keys) {
  for (const VariantKey& key : keys)
    if (ptxas::assembler_of(key) != AssemblerChoice())
      return with_hint(fail(Step::usage, "{} says itself how it is assembled", key.id),
                       "leave --toolchain and -a out, or the axes of its id");
  return {};
}

}  // namespace

Result<VariantKey> fork_by_id(const Home& home, Space& space, const space::TypedId& id) {
  PHASEBIT_TRY_ASSIGN(fork, fork::read_fork(home, id.fork));
  PHASEBIT_TRY_ASSIGN(parent, parent_of(home, space.catalogue, fork));
  if (parent.id != id.variant)
    return with_hint(fail(Step::usage, "fork '{}' is none of {}", id.fork, id.variant),
                     fmt::format("it is {}", fork.key().id));
  PHASEBIT_TRY_ASSIGN(own, render::check_head_key(space.catalogue, fork.kernel.head));
  PHASEBIT_TRY(render::check_head_plan(space.catalogue, fork.kernel.head, own));
  space.files.push_back(fork.kernel);
  return fork.key();
}

bool is_hash(const std::string& word) {
  return word.find('/') == std::string::npos && !is_ptx_file(word);
}

Result<Space> open_listed(const SpaceRequest& request) {
  PHASEBIT_TRY_ASSIGN(ids, ids_of(request));
  const bool hashes = std::any_of(ids.begin(), ids.end(), is_hash);
  PHASEBIT_TRY(check_request(request, hashes));
  Expansion sweep;
  if (hashes) {
    PHASEBIT_TRY_ASSIGN(found, sweep_of(request));
    sweep = std::move(found);
  }
  PHASEBIT_TRY_ASSIGN(catalogue, load_catalogue(request));
  PHASEBIT_TRY_ASSIGN(snippets, read_snippets(request, catalogue, nullptr));
  Space space{templates_folder(request), std::move(catalogue), {}, {}};
  PHASEBIT_TRY_ASSIGN(keys, keys_of(request.home, space, ids, sweep));
  std::vector<std::string> none;
  PHASEBIT_TRY_ASSIGN(asked, assembler_axes(request, {}, none));
  std::vector<AssemblerChoice> choices = ptxas::combinations(asked);
  if (request.overrides.empty() && request.toolchains.empty())
    choices.clear();  // nothing was asked: each as its id says
  else
    PHASEBIT_TRY(check_choices(keys));
  space.expansion.variants = std::move(keys);
  add_snippets(space.expansion.variants, snippets);
  PHASEBIT_TRY(choose(request, choices, space.expansion.variants));
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

}  // namespace phasebit::pipeline::select
