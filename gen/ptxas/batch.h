// One call of ptxas for many kernels, and what to do when it refuses some of them or dies.
#pragma once

#include "gen/ptxas/assembler.h"
#include "gen/ptxas/toolchain.h"

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace phasebit::ptxas {

struct BatchSettings {
  const Toolchain* toolchain = nullptr;
  std::string target;
  std::vector<std::string> flags;
  bool line_info = false;
  std::chrono::seconds timeout{120};  // of one call of ptxas
};

struct BatchResult {
  // In the order of the kernels. An Error is a failure of the tool, which another try may not meet:
  // it is not kept. A refusal by ptxas is an Outcome.
  std::vector<Result<Outcome>> outcomes;
  std::map<std::string, std::string> modules;  // hash -> cubin
};

// The kernels have one version and target and different entries. One bad kernel fails a whole
// module: those that the error lines name are dropped and the rest tried again; when ptxas dies, or
// says something that names no kernel, the batch is halved until the kernel is found.
BatchResult assemble_batch(const BatchSettings& settings,
                           const std::vector<const Kernel*>& kernels);

}  // namespace phasebit::ptxas
