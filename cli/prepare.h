// Variants on their way to ptxas: planned, and rendered in parallel.
#pragma once

#include "cli/space.h"
#include "gen/kernel.h"
#include "gen/plan.h"
#include "gen/render.h"

#include <string>
#include <vector>

namespace phasebit {

struct Prepared {
  VariantKey key;
  Plan plan;
  Kernel kernel;
};

// One variant with its listing.
Result<Rendered> render_one(const fs::path& templates, const Catalogue& catalogue,
                            const VariantKey& variant, Build build);

// All variants in their order, on `jobs` threads (0: all cores). A template error stops it: it
// concerns every variant of its combination.
Result<std::vector<Prepared>> prepare(const fs::path& templates, const Catalogue& catalogue,
                                      const std::vector<VariantKey>& variants, Build build,
                                      unsigned jobs);

}  // namespace phasebit
