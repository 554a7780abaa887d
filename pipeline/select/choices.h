// The choices of ptxas that a command line asks for.
#pragma once

#include "gen/ptxas/assembler.h"
#include "pipeline/select/space.h"

#include <string>
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

}  // namespace phasebit::pipeline::select
