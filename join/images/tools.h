// ptxas, nvdisasm, the cache and the limits that a command works with.
#pragma once

#include "analysis/disassembly/disassembler.h"
#include "core/base/cache.h"
#include "core/isa/targets.h"
#include "gen/ptxas/assemble.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace phasebit::join::images {

struct ToolOptions {
  base::Home home;
  std::string ptxas, nvdisasm;  // empty: the pinned ones
  std::string cache;            // empty: that of the home
  bool no_cache = false;
  unsigned jobs = 0;                                                  // 0: all cores
  int max_registers = 0, max_shared_bytes = 0, max_spill_bytes = -1;  // 0, 0, -1: only the target's
};

struct Tools {
  base::Home home;
  ptxas::Toolchain toolchain;  // of variants that name no ptxas
  isa::TargetTable targets;
  std::optional<base::Cache> cache;                // of modules, classes and outcomes of the gate
  ptxas::AssembleOptions options;                  // with `.loc`: what is measured is what is gated
  std::map<std::string, ptxas::Toolchain> others;  // by version: those that variants name
  const base::Cache* cache_or_null() const { return cache ? &*cache : nullptr; }
  // What is derived of code depends on all of this program's: the kind under which it is kept. ""
  // where nothing is.
  std::string derived_kind(const char* what) const;
  // The toolchain of a choice, found and asked once. Step::toolchain when it is not installed;
  // Step::usage when --ptxas names another than the pinned one: then "" is that one.
  Result<const ptxas::Toolchain*> toolchain_of(const std::string& ptxas);
};

// Notes of the cache go to standard error.
Result<Tools> open_tools(const ToolOptions& options);

// nvdisasm of the toolchain, with a cache of its listings next to that of the modules; its runs are
// counted on a terminal. The error says how to get one.
Result<disassembly::Disassembler> open_disassembler(const Tools& tools);

// What a column of a matrix stands for.
struct CodeColumn {
  std::string target;
  std::string ptxas;  // "12.4.131"; "" for what each variant asks for
  // "sm_90a", or "sm_90a ptxas 12.4.131"
  std::string name() const;
};

// Targets by versions of ptxas, target slowest; `toolchains` as given to --toolchain.
Result<std::vector<CodeColumn>> columns_of(const Tools& tools,
                                           const std::vector<std::string>& targets,
                                           const std::vector<std::string>& toolchains);

// The architectures named, and those of the file; every one that ptxas knows for none or "all".
// Step::usage when it does not know one.
Result<std::vector<std::string>> chosen_targets(const ptxas::Toolchain& toolchain,
                                                std::vector<std::string> targets,
                                                const std::string& file = {});

}  // namespace phasebit::join::images
