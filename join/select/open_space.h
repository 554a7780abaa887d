// From what is asked to a space.
#pragma once

#include "gen/space/point.h"
#include "join/select/space.h"

#include <string>
#include <vector>

namespace phasebit::join::select {

// Variants that are named one by one: --id and --variants.

// Whether a word of the command line is to be looked up as a hash: it is neither an id nor a file.
bool is_hash(const std::string& word);

// An id names any variant of the templates or a fork, whatever the sweep; a hash one of the sweep.
// Snippets follow their variants, and --toolchain and -a of ptxas say what assembles each, as in a
// sweep. Step::usage for options that choose a sweep where no hash asks for one, for -a of another
// axis, and for an id with a choice of ptxas of its own in addition to one of the command line.
Result<Space> open_listed(const SpaceRequest& request);

// Variants by id, in their order, as often as they are named; of the request the home and the
// templates alone.
Result<Space> open_ids(const SpaceRequest& request, const std::vector<std::string>& ids);

// One id a line; a word that begins with "#" begins a comment (ids of forms have one inside).
std::vector<std::string> ids_in(const std::string& text);

// The key of a fork by its id; the space gets its kernel.
Result<launch::VariantKey> fork_by_id(const base::Home& home, Space& space,
                                      const space::TypedId& id);

// A sweep of a spec, or the forks, as a space.

// A spec as it is named from the current folder, else one that came with the program:
// specs/curated.toml; "" is the project's own.
fs::path spec_file(const base::Home& home, const std::string& named);

enum class Forks { left_out, included };

// Without --id, --variants and files. Forks that are included follow their parents, where these are
// in the space. What is wrong with a fork that has no parent any more goes to standard error.
Result<Space> open_sweep(const SpaceRequest& request, Forks forks = Forks::left_out);

// The variant that a fork came from. Step::spec with the nearest variant when it is none any more.
Result<launch::VariantKey> parent_of(const base::Home& home, const space::Catalogue& catalogue,
                                     const kernel::Fork& fork);

// Files, variants named one by one, or a sweep: whichever the request has.
Result<Space> open_space(const SpaceRequest& request, Forks forks = Forks::left_out);

// The same, but files may come with a sweep that is named, so that one bundle holds both.
Result<Space> open_together(const SpaceRequest& request, Forks forks);

// The variants of `more` after those of `space`, with the files that they were read from.
void append(Space& space, Space more);

// One variant by id or FILE.ptx (of the catalogue or a fork, with axes of ptxas or without), or by
// hash among those of the space that the request names. With snippets in the request it is the
// variant with them in it. Step::usage for what an id does not need: a sweep, or -a of its text.
Result<Space> open_one(const SpaceRequest& request, const std::string& id_or_hash);

// What a request says of one of two sides: the sweep is for the side that is a hash.
Result<SpaceRequest> request_of_side(const SpaceRequest& request, const std::string& word,
                                     const std::string& other);

}  // namespace phasebit::join::select
