// How a command line asks for texts to be compiled.
#pragma once

#include "core/base/error.h"
#include "core/launch/manifest.h"
#include "gen/space/compilers.h"
#include "join/select/space.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace phasebit::join::select {

// The overrides of the compilers' axes, in the place of what the sweep says of these; `rest` gets
// the others.
Result<std::vector<space::AxisValues>> compiler_axes(const SpaceRequest& request,
                                                     const space::Catalogue& catalogue,
                                                     std::vector<space::AxisValues> of_sweep,
                                                     std::vector<std::string>& rest);
// The same where the command line may ask for no other axis, since `owner` ("a file") has its own:
// Step::usage. `place` is where the compilers' can be chosen: "of a file".
Result<std::vector<space::AxisValues>> compiler_axes_alone(const SpaceRequest& request,
                                                           const space::Catalogue& catalogue,
                                                           std::string_view owner,
                                                           std::string_view place);

// Those that the filter and the limit leave, each once for each choice that the filter leaves;
// without choices as they are. Step::usage when there is none.
Status choose(const SpaceRequest& request, const space::Catalogue& catalogue,
              const std::vector<space::CompilerChoice>& choices,
              std::vector<launch::VariantKey>& variants);

// Words of the command line.

// "timed" or "guarded"; Step::usage with the nearest word otherwise.
Result<launch::Build> parse_build(const std::string& word);

// What a request asks for other than its defaults, so that nothing asked for is silently ignored.

// The options that were given, in the words of the command line: "--sweep", "-a". The templates are
// none of them: every command takes some.
std::vector<std::string> given_options(const SpaceRequest& request);

// Step::usage, "WHAT: no --sweep, --limit with it", for what was given in addition to `allowed`.
Status take_only(const SpaceRequest& request, const std::vector<std::string_view>& allowed,
                 std::string_view what, std::string_view hint);

// Forms that a target does not take, or that nothing runs yet, among the variants of a space.

// Takes them out of the space. Reasons with the number of variants, in the order first met.
Result<std::vector<std::pair<std::string, int>>> leave_out_forms(Space& space,
                                                                 const std::string& target);

}  // namespace phasebit::join::select
