#include "cli/tools.h"

#include "core/base/file.h"

#include <cstdio>
#include <sstream>

namespace phasebit {

Result<Tools> open_tools(const ToolOptions& options) {
  ToolchainRequest request;
  if (!options.ptxas.empty()) request.ptxas = options.ptxas;
  if (!options.nvdisasm.empty()) request.nvdisasm = options.nvdisasm;
  PHASEBIT_TRY_ASSIGN(toolchain, find_toolchain(request));
  PHASEBIT_TRY_ASSIGN(targets, TargetTable::load());
  Tools tools{std::move(toolchain), std::move(targets), std::nullopt, {}};
  if (!options.no_cache) {
    const fs::path folder =
        options.cache.empty() ? Cache::default_folder() : fs::path(options.cache);
    PHASEBIT_TRY_ASSIGN(cache, Cache::open(folder));
    for (const std::string& note : cache.notes()) fmt::print(stderr, "note: {}\n", note);
    tools.cache = std::move(cache);
  }
  tools.options.threads = options.jobs;
  ResourceLimits& limits = tools.options.limits;
  if (options.max_registers > 0) limits.max_registers = options.max_registers;
  if (options.max_shared_bytes > 0) limits.max_shared_bytes = options.max_shared_bytes;
  if (options.max_spill_bytes >= 0) limits.max_spill_bytes = options.max_spill_bytes;
  return tools;
}

Result<Disassembler> open_disassembler(const Tools& tools) {
  PHASEBIT_TRY(require_nvdisasm(tools.toolchain));
  return Disassembler::open(tools.toolchain.nvdisasm,
                            tools.cache ? tools.cache->folder() / "disassembly" : fs::path());
}

Result<std::vector<std::string>> chosen_targets(const Toolchain& toolchain,
                                                std::vector<std::string> targets,
                                                const std::string& file) {
  if (!file.empty()) {
    PHASEBIT_TRY_ASSIGN(text, read_file(file));
    std::istringstream words(text);
    for (std::string word; words >> word;) targets.push_back(word);
  }
  if (targets.empty() || targets == std::vector<std::string>{"all"}) return toolchain.targets;
  for (const std::string& target : targets) PHASEBIT_TRY(check_target(toolchain, target));
  return targets;
}

}  // namespace phasebit
