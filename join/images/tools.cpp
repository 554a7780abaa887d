#include "join/images/tools.h"

#include "core/base/file.h"
#include "core/base/process.h"
#include "join/images/progress.h"

#include <cstdio>
#include <memory>
#include <mutex>
#include <sstream>

namespace phasebit::join::images {

Result<const ptxas::Toolchain*> Tools::toolchain_of(const std::string& ptxas) {
  if (ptxas.empty()) return &toolchain;
  if (toolchain.version.text() != ptxas::pinned_toolchain)
    return with_hint(fail(Step::usage, "ptxas={}, but the command works with ptxas {}", ptxas,
                          toolchain.version.text()),
                     "leave --ptxas and $PHASEBIT_TOOLCHAIN out, or the axis");
  if (const auto known = others.find(ptxas); known != others.end()) return &known->second;
  PHASEBIT_TRY_ASSIGN(installed, ptxas::find_installed(home, ptxas));
  ptxas::ToolchainRequest request{home, {}, {}};
  request.ptxas = ptxas::toolchain_programs(installed.folder) / "ptxas";
  PHASEBIT_TRY_ASSIGN(found, ptxas::find_toolchain(request));
  return &others.emplace(ptxas, std::move(found)).first->second;
}

std::string Tools::derived_kind(const char* what) const {
  static const std::string program = base::program_hash();
  return !cache || program.empty() ? "" : fmt::format("{} {}", what, program);
}

std::string CodeColumn::name() const {
  return ptxas.empty() ? target : fmt::format("{} ptxas {}", target, ptxas);
}

Result<std::vector<CodeColumn>> columns_of(const Tools& tools,
                                           const std::vector<std::string>& targets,
                                           const std::vector<std::string>& toolchains) {
  PHASEBIT_TRY_ASSIGN(named, ptxas::installed_named(tools.home, toolchains));
  std::vector<CodeColumn> columns;
  for (const std::string& target : targets) {
    for (const ptxas::InstalledToolchain& one : named) columns.push_back({target, one.choice()});
    if (named.empty()) columns.push_back({target, {}});
  }
  return columns;
}

namespace {

// A cache that was not asked for saves time and is gone without; one that was asked for must be.
Status open_caches(Tools& tools, const std::string& asked) {
  auto cache = base::Cache::open(asked.empty() ? tools.home.cache / "assembly" : fs::path(asked));
  if (!cache && !asked.empty())
    return with_hint(tl::unexpected<Error>(cache.error()),
                     "--cache FOLDER names another, --no-cache keeps nothing");
  if (!cache) {
    fmt::print(stderr, "note: {}: nothing is kept; --cache FOLDER names another\n",
               cache.error().message);
    return {};
  }
  for (const std::string& note : cache->notes()) fmt::print(stderr, "note: {}\n", note);
  tools.cache = std::move(*cache);
  return {};
}

}  // namespace

Result<Tools> open_tools(const ToolOptions& options) {
  ptxas::ToolchainRequest request{options.home, {}, {}};
  if (!options.ptxas.empty()) request.ptxas = options.ptxas;
  if (!options.nvdisasm.empty()) request.nvdisasm = options.nvdisasm;
  PHASEBIT_TRY_ASSIGN(toolchain, ptxas::find_toolchain(request));
  PHASEBIT_TRY_ASSIGN(targets, isa::TargetTable::load());
  Tools tools{options.home, std::move(toolchain), std::move(targets), std::nullopt, {}, {}};
  tools.options.line_info = true;
  if (!options.no_cache) PHASEBIT_TRY(open_caches(tools, options.cache));
  tools.options.threads = options.jobs;
  tools.options.progress = progress_on_terminal("calls of ptxas");
  ptxas::ResourceLimits& limits = tools.options.limits;
  if (options.max_registers > 0) limits.max_registers = options.max_registers;
  if (options.max_shared_bytes > 0) limits.max_shared_bytes = options.max_shared_bytes;
  if (options.max_spill_bytes >= 0) limits.max_spill_bytes = options.max_spill_bytes;
  return tools;
}

Result<disassembly::Disassembler> open_disassembler(const Tools& tools) {
  PHASEBIT_TRY(ptxas::require_nvdisasm(tools.toolchain));
  fs::path listings;
  if (tools.cache) {
    listings = tools.cache->folder() / "disassembly";
    PHASEBIT_TRY_ASSIGN(cache, base::Cache::open(listings));
    for (const std::string& note : cache.notes()) fmt::print(stderr, "note: {}\n", note);
  }
  PHASEBIT_TRY_ASSIGN(disassembler,
                      disassembly::Disassembler::open(tools.toolchain.nvdisasm, listings));
  if (auto line = progress_on_terminal("runs of nvdisasm"))
    disassembler.report_to([line = std::move(line), mutex = std::make_shared<std::mutex>()](
                               std::size_t done, std::size_t all) {
      const std::lock_guard guard(*mutex);
      line(done, all);
    });
  return disassembler;
}

Result<std::vector<std::string>> chosen_targets(const ptxas::Toolchain& toolchain,
                                                std::vector<std::string> targets,
                                                const std::string& file) {
  if (!file.empty()) {
    PHASEBIT_TRY_ASSIGN(text, base::read_file(file));
    std::istringstream words(text);
    for (std::string word; words >> word;) targets.push_back(word);
  }
  if (targets.empty() || targets == std::vector<std::string>{"all"}) return toolchain.targets;
  for (const std::string& target : targets) PHASEBIT_TRY(ptxas::check_target(toolchain, target));
  return targets;
}

}  // namespace phasebit::join::images
