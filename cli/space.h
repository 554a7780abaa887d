// Which variants a command is about: a spec, a sweep, overrides, a filter.
#pragma once

#include "core/base/file.h"
#include "gen/catalogue.h"
#include "gen/variants.h"

#include <string>
#include <vector>

namespace phasebit {

struct SpaceRequest {
  std::string templates;  // empty: <data root>/templates
  std::string spec;       // empty: <data root>/specs/core.toml
  std::string sweep = "core";
  std::vector<std::string> overrides;  // -a axis=values
  std::string filter;                  // keep variants whose id has this in it
  int limit = 0;                       // keep so many, spread evenly; 0: all
};

struct Space {
  fs::path templates;
  Catalogue catalogue;
  Expansion expansion;
};

fs::path templates_folder(const SpaceRequest& request);
Result<Catalogue> load_catalogue(const SpaceRequest& request);
Result<Space> open_space(const SpaceRequest& request);

// A variant by id, or by hash among those of the space that the request names.
Result<VariantKey> find_variant(const SpaceRequest& request, const Catalogue& catalogue,
                                const std::string& id_or_hash);

}  // namespace phasebit
