// From what is asked to a space.
#pragma once

#include "pipeline/select/listed.h"
#include "pipeline/select/open_sweep.h"
#include "pipeline/select/space.h"

#include <string>

namespace phasebit::pipeline::select {

// Files, variants named one by one, or a sweep: whichever the request has.
Result<Space> open_space(const SpaceRequest& request, Forks forks = Forks::left_out);

// The same, but files may stand beside a sweep that is named, so that one bundle holds both.
Result<Space> open_together(const SpaceRequest& request, Forks forks);

// The variants of `more` behind those of `space`, with the files that they were read from.
void append(Space& space, Space more);

// One variant by id or FILE.ptx (of the catalogue or a fork, with axes of ptxas or without), or by
// hash among those of the space that the request names. With snippets in the request it is the
// variant with them in it. Step::usage for what an id does not need: a sweep, or -a of its text.
Result<Space> open_one(const SpaceRequest& request, const std::string& id_or_hash);

// What a request says of one of two sides: the sweep is for the side that is a hash.
SpaceRequest request_of_side(const SpaceRequest& request, const std::string& word,
                             const std::string& other);

}  // namespace phasebit::pipeline::select
