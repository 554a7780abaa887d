#include "pipeline/select/snippets.h"

#include "gen/fork/snippet.h"
#include "gen/fork/snippet_folder.h"
#include "gen/space/hand_made.h"

#include <algorithm>

namespace phasebit::pipeline::select {

using catalogue::Catalogue;
using fork::Snippet;
using image::VariantKey;

namespace {

Result<std::vector<Snippet>> read_all(const SpaceRequest& request, const space::Sweep* sweep) {
  std::vector<Snippet> snippets;
  if (sweep != nullptr)
    for (const space::SweepSnippet& named : sweep->snippets) {
      PHASEBIT_TRY_ASSIGN(snippet,
                          fork::read_snippet(named.verb, named.file).map_error([&](Error error) {
                            error.message = fmt::format("{}: {}", named.where, error.message);
                            return error;
                          }));
      snippets.push_back(std::move(snippet));
    }
  for (const std::string& assignment : request.snippets) {
    PHASEBIT_TRY_ASSIGN(snippet, fork::read_snippet(assignment));
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

}  // namespace

Result<std::vector<Snippet>> read_snippets(const SpaceRequest& request, const Catalogue& catalogue,
                                           const space::Sweep* sweep) {
  PHASEBIT_TRY_ASSIGN(snippets, read_all(request, sweep));
  PHASEBIT_TRY(check_protocols(catalogue, snippets));
  return std::move(snippets);
}

void add_snippets(std::vector<VariantKey>& variants, const std::vector<Snippet>& snippets) {
  if (snippets.empty()) return;
  std::vector<VariantKey> all;
  for (VariantKey& variant : variants) {
    all.push_back(std::move(variant));
    const VariantKey& key = all.back();
    // The choice of ptxas stands behind the snippets.
    if (!space::is_hand_made(key) && takes(key, snippets))
      all.push_back(ptxas::with_assembler(fork::snippet_key(ptxas::text_key(key), snippets),
                                          ptxas::assembler_of(key)));
  }
  variants = std::move(all);
}

Status lay_snippets(Space& space, const std::vector<Snippet>& snippets) {
  if (snippets.empty()) return {};
  PHASEBIT_TRY_ASSIGN(folder, fork::make_snippet_folder(space.templates, space.catalogue,
                                                        space.expansion.variants, snippets));
  auto catalogue = Catalogue::load(folder.path());
  if (!catalogue)
    return fail(Step::spec, "{}: {}", snippets.front().path.string(), catalogue.error().message);
  space.catalogue = std::move(*catalogue);
  space.templates = folder.path();
  space.snippet_folder = std::make_shared<const base::TempDir>(std::move(folder));
  return {};
}

}  // namespace phasebit::pipeline::select
