// Snippets as templates: beside each component that they change stands one of two files, which
// `uses` it and has the verb. From there on they go the way of any component.
#pragma once

#include "gen/fork/snippet.h"
#include "gen/space/hand_made.h"

#include <vector>

namespace phasebit::fork {

// A folder that holds the templates, by links, and such a component for every variant with
// snippets (its name: snippet_component). The catalogue is of `templates`. Step::io.
Result<base::TempDir> make_snippet_folder(const fs::path& templates,
                                          const catalogue::Catalogue& catalogue,
                                          const std::vector<image::VariantKey>& variants,
                                          const std::vector<Snippet>& snippets);

}  // namespace phasebit::fork
