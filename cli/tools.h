// ptxas, nvdisasm, the cache and the limits that a command works with.
#pragma once

#include "analysis/sass/disassembler.h"
#include "cli/commands.h"
#include "core/isa/targets.h"
#include "gen/assemble.h"

#include <optional>

namespace phasebit {

struct Tools {
  Toolchain toolchain;
  TargetTable targets;
  std::optional<Cache> cache;
  AssembleOptions options;
  Cache* cache_or_null() { return cache ? &*cache : nullptr; }
};

// Notes of the cache go to standard error.
Result<Tools> open_tools(const ToolOptions& options);

// nvdisasm of the toolchain, with a cache of its listings beside that of the modules. The error
// says how to get one.
Result<Disassembler> open_disassembler(const Tools& tools);

// The architectures named, and those of the file; every one that ptxas knows for none or "all".
// Step::usage when it does not know one.
Result<std::vector<std::string>> chosen_targets(const Toolchain& toolchain,
                                                std::vector<std::string> targets,
                                                const std::string& file = {});

}  // namespace phasebit
