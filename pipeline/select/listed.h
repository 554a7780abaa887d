// Variants that are named one by one: --id and --variants.
#pragma once

#include "gen/space/typed_id.h"
#include "pipeline/select/space.h"

#include <string>
#include <vector>

namespace phasebit::pipeline::select {

// Whether a word of the command line is to be looked up as a hash: it is neither an id nor a file.
bool is_hash(const std::string& word);

// An id names any variant of the templates or a fork, whatever the sweep; a hash one of the sweep.
// Snippets follow their variants, and --toolchain and -a of ptxas say what assembles each, as in a
// sweep. Step::usage for options that choose a sweep where no hash asks for one, for -a of another
// axis, and for an id with a choice of ptxas of its own beside one of the command line.
Result<Space> open_listed(const SpaceRequest& request);

// Variants by id, in their order, as often as they are named; of the request the home and the
// templates alone.
Result<Space> open_ids(const SpaceRequest& request, const std::vector<std::string>& ids);

// The key of a fork by its id; the space gets its kernel.
Result<image::VariantKey> fork_by_id(const base::Home& home, Space& space,
                                     const space::TypedId& id);

}  // namespace phasebit::pipeline::select
