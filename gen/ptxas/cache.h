// What ptxas made of a text once, in the cache: outcomes as values, modules as files.
#pragma once

#include "core/base/cache.h"
#include "gen/ptxas/assembler.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace phasebit::ptxas {

// The outcomes of kernels by nameless_hash, under one configuration (target, ptxas, flags); nothing
// where there is none or where its module is gone.
std::vector<std::optional<Outcome>> find_outcomes(const base::Cache& cache,
                                                  const std::string& configuration,
                                                  const std::vector<std::string>& kernel_hashes);

// Keeps outcomes by nameless_hash, after the modules they name.
Status keep_outcomes(const base::Cache& cache, const std::string& configuration,
                     const std::vector<std::pair<std::string, Outcome>>& outcomes,
                     const std::map<std::string, std::string>& modules);

}  // namespace phasebit::ptxas
