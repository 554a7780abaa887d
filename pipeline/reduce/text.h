// The file that a bug report takes.
#pragma once

#include "gen/ptxas/kernel.h"
#include "pipeline/reduce/reduction.h"

#include <string>

namespace phasebit::pipeline::reduce {

// A module with this kernel alone, indented; the shared memory is declared where it is used.
std::string reduced_module(const ptxas::Kernel& kernel);

// Comment lines: what the text shows, by which ptxas, the commands that show it.
std::string reduction_header(const Reduction& reduction, const std::string& variant,
                             const std::string& file);

}  // namespace phasebit::pipeline::reduce
