// From sweeps to variants.
//
// A point becomes a variant unless it is pruned, and every pruned point is counted under one
// reason, by the first of these that says so:
//   1. the block's `when`;
//   2. the rules of axes.toml, then those of the protocol, mover, work and probe, in their order;
//   3. an axis that has another value than its default where it has no meaning (its `when`, or a
//      component that does not have it or not this value).
// Only what a block varies (cross, once_around, pairs, overrides) is pruned by 3. A value that only
// the baseline names falls back to its default where it has no meaning, so that one baseline serves
// all protocols. Reasons are counted as written, with {axis} not filled in, so that a sweep shows a
// line a rule; the reason why a single variant is none has the values.
#pragma once

#include "core/base/error.h"
#include "core/launch/variant_key.h"
#include "gen/space/catalogue.h"
#include "gen/space/spec.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace phasebit::space {

struct Expansion {
  std::vector<launch::VariantKey> variants;         // in the order of the blocks, no two equal
  std::vector<std::pair<std::string, int>> pruned;  // reason and points, in the order first met
};

// Points of a block, those among them that are pruned or twice.
double points_of(const SweepBlock& block);

// `overrides` as given to -a: "stages=1,2,4:16:4". The axis takes these values in every block
// instead of what the block says of it; they vary faster than the block's own `cross`.
Result<Expansion> expand(const Catalogue& catalogue, const Spec& spec, std::string_view sweep,
                         const std::vector<std::string>& overrides = {});

// "1234 variants\n60 points pruned:\n     40  reason\n ..." for --dry-run.
std::string describe(const Expansion& expansion);

// The key of a point whose axes are given by name; the others have their defaults. probe, protocol,
// mover and work must be given. Step::spec when a rule prunes it, with the reason.
Result<launch::VariantKey> make_key(const Catalogue& catalogue,
                                    const std::vector<std::pair<std::string, std::string>>& values);

// An id ("ring/mbarrier/none/none/num_stages=8", axes in any order), or the first 4 or more digits
// of the hash of a variant of `known`. Step::usage.
Result<launch::VariantKey> parse_variant(const Catalogue& catalogue, std::string_view id_or_hash,
                                         const Expansion* known = nullptr);

// The axes of the key that are at their defaults, which its id leaves out; none of a key that the
// catalogue does not know.
std::vector<std::string> default_axes(const Catalogue& catalogue, const launch::VariantKey& key);

}  // namespace phasebit::space
