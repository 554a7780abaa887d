// From what is asked to a space.
#pragma once

#include "pipeline/select/space.h"

#include <string>
#include <vector>

namespace phasebit {

enum class Forks { left_out, included };

// Forks that are included follow their parents, where these are in the space. What is wrong with a
// fork that has no parent any more goes to standard error.
Result<Space> open_space(const SpaceRequest& request, Forks forks = Forks::left_out);

// One variant by id or FILE.ptx (of the catalogue or a fork, with axes of ptxas or without), or by
// hash among those of the space that the request names. With snippets in the request it is the
// variant with them in it.
Result<Space> open_one(const SpaceRequest& request, const std::string& id_or_hash);

// Variants by id, in their order, as often as they are named; no snippets.
Result<Space> open_ids(const SpaceRequest& request, const std::vector<std::string>& ids);

// The variant that a fork came from. Step::spec with the nearest variant when it is none any more.
Result<VariantKey> parent_of(const Catalogue& catalogue, const Fork& fork);

}  // namespace phasebit
