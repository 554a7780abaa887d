#include "cli/space.h"

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

}  // namespace

fs::path templates_folder(const SpaceRequest& request) {
  return request.templates.empty() ? data_root() / "templates" : fs::path(request.templates);
}

Result<Catalogue> load_catalogue(const SpaceRequest& request) {
  return Catalogue::load(templates_folder(request));
}

Result<Space> open_space(const SpaceRequest& request) {
  PHASEBIT_TRY_ASSIGN(catalogue, load_catalogue(request));
  const fs::path path =
      request.spec.empty() ? data_root() / "specs" / "core.toml" : fs::path(request.spec);
  PHASEBIT_TRY_ASSIGN(spec, load_spec(path, catalogue));
  PHASEBIT_TRY_ASSIGN(expansion, expand(catalogue, spec, request.sweep, request.overrides));
  std::vector<VariantKey>& variants = expansion.variants;
  if (!request.filter.empty())
    std::erase_if(variants, [&](const VariantKey& variant) {
      return variant.id.find(request.filter) == std::string::npos;
    });
  keep_spread(variants, static_cast<size_t>(request.limit));
  return Space{templates_folder(request), std::move(catalogue), std::move(expansion)};
}

Result<VariantKey> find_variant(const SpaceRequest& request, const Catalogue& catalogue,
                                const std::string& id_or_hash) {
  if (id_or_hash.find('/') != std::string::npos) return parse_variant(catalogue, id_or_hash);
  PHASEBIT_TRY_ASSIGN(space, open_space(request));
  return parse_variant(catalogue, id_or_hash, &space.expansion);
}

}  // namespace phasebit
