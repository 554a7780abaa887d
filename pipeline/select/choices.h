// The choices of ptxas that a command line asks for.
#pragma once

#include "core/base/error.h"
#include "core/image/manifest.h"
#include "gen/ptxas/assembler.h"
#include "pipeline/select/space.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace phasebit::pipeline::select {

// The overrides of the axes of ptxas, on top of the sweep's; `rest` gets the others.
Result<ptxas::AssemblerAxes> assembler_axes(const SpaceRequest& request, ptxas::AssemblerAxes axes,
                                            std::vector<std::string>& rest);

// Step::usage when `axes`, of the command line, are any: what `owner` names ("a file") has its own.
// `place` is where those of ptxas can be chosen: "of a file".
Status refuse_text_axes(const std::vector<std::string>& axes, std::string_view owner,
                        std::string_view place);

// Each variant once for each choice.
void add_choices(std::vector<image::VariantKey>& variants,
                 const std::vector<ptxas::AssemblerChoice>& choices);

// Those that the filter and the limit leave, each once for each choice of ptxas that the filter
// leaves; without choices as they are. Step::usage when there is none.
Status choose(const SpaceRequest& request, const std::vector<ptxas::AssemblerChoice>& choices,
              std::vector<image::VariantKey>& variants);

// Words of the command line.

// "timed" or "guarded"; Step::usage with the nearest word otherwise.
Result<image::Build> parse_build(const std::string& word);

// What a request asks for beside its defaults, so that nothing asked for is silently ignored.

// The options that were given, in the words of the command line: "--sweep", "-a". The templates are
// none of them: every command takes some.
std::vector<std::string> given_options(const SpaceRequest& request);

// Step::usage, "WHAT: no --sweep, --limit with it", for what was given beside `allowed`.
Status take_only(const SpaceRequest& request, const std::vector<std::string_view>& allowed,
                 std::string_view what, std::string_view hint);

// Forms that a target does not take, or that nothing runs yet, among the variants of a space.

// Takes them out of the space. Reasons with the number of variants, in the order first met.
Result<std::vector<std::pair<std::string, int>>> leave_out_forms(Space& space,
                                                                 const std::string& target);

}  // namespace phasebit::pipeline::select
