// The file of `phasebit sass gate`.
#pragma once

#include "analysis/gate/expectation.h"

#include <string>
#include <string_view>
#include <vector>

namespace phasebit::gate {

struct ExpectationFile {
  // The code it speaks of; the command line may say otherwise. `spec` counts from the file's folder
  // unless it is a path from the root.
  std::string spec, sweep;
  std::vector<std::string> targets;
  std::vector<std::string> files;  // code files, as shell patterns that count from its folder
  std::vector<Expectation> expectations;
};

// TOML: spec, sweep, targets, files; [[rule]] with name, variants, kernels, targets, family, ptxas,
// where, must, must_not, count = { PATTERN = 2 or "1..2" or "2.." }, exhaustive, max_registers,
// max_live_registers, max_spill_bytes, max_issue_cycles, max_instructions, min_warps, threads,
// dynamic_shared_bytes; [[same]] and [[differ]] with name, variants, kernels, targets, family,
// ptxas. Step::spec, with file, line and the nearest key, when it is not that.
Result<ExpectationFile> parse_expectations(std::string_view text, const std::string& name);

}  // namespace phasebit::gate
