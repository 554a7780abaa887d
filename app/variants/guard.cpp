#include "gen/guard/guard.h"

#include "app/commands.h"
#include "core/base/text.h"
#include "join/capture/captured.h"

#include <algorithm>
#include <cstdio>

#include <nlohmann/json.hpp>

namespace phasebit::app {

using launch::WaitSite;

namespace {

nlohmann::json as_json(const WaitSite& site) {
  return {{"site", site.number},     {"kind", launch::to_string(site.kind)},
          {"entry", site.entry},     {"file", site.file},
          {"line", site.line},       {"verb", site.verb},
          {"role", site.role},       {"opcode", site.opcode},
          {"operand", site.operand}, {"address", site.address},
          {"heading", site.heading}, {"item", site.item},
          {"callers", site.callers}};
}

void list_sites(const guard::GuardedPtx& guarded) {
  for (const WaitSite& site : guarded.sites)
    fmt::print(stderr, "{:4} {:15} {:40} {} {}{}{}{}{}{}{}\n", site.number,
               launch::to_string(site.kind), site.place(), site.opcode, site.role,
               site.role.empty() ? "" : " ", site.verb, site.heading.empty() ? "" : " ",
               site.heading, site.callers.empty() ? "" : " called at ", site.callers);
  for (const std::string& note : guarded.notes) fmt::print(stderr, "note: {}\n", note);
  const auto& statements = guarded.file.statements;
  if (!guarded.sites.empty() &&
      std::any_of(statements.begin(), statements.end(), [](const ptx::PlacedStatement& one) {
        return one.parsed.name.starts_with("wgmma.mma_async");
      }))
    fmt::print(stderr,
               "note: ptxas serializes wgmma.mma_async of this build, because a wait that gives up "
               "calls a function that prints (C7510); ptxas -v says whether it spills\n");
}

}  // namespace

Result<bool> run_guard(const GuardCommand& options) {
  if (!options.fail_on.empty() && options.fail_on != "unguarded")
    return with_hint(fail(Step::usage, "--fail-on {}: no such word", options.fail_on),
                     base::nearest_word_hint(options.fail_on, {"unguarded"}));
  PHASEBIT_TRY_ASSIGN(text, base::read_file(options.file));
  PHASEBIT_TRY_ASSIGN(file, ptx::read_ptx(text, options.file));
  guard::GuardOptions settings;
  settings.limit_ns = static_cast<std::uint64_t>(options.limit_ms) * 1'000'000;
  if (!options.launch.empty()) {
    PHASEBIT_TRY_ASSIGN(launches, join::capture::guard_launches(file, options.launch));
    settings.launches = std::move(launches);
  }
  PHASEBIT_TRY_ASSIGN(guarded, guard::guard(file, settings));
  if (options.json) {
    nlohmann::json sites = nlohmann::json::array();
    for (const WaitSite& site : guarded.sites) sites.push_back(as_json(site));
    fmt::print("{}\n", nlohmann::json({{"sites", sites}, {"notes", guarded.notes}}).dump(1));
  } else {
    list_sites(guarded);
  }
  const std::string made = ptx::write_ptx(guarded.file);
  if (!options.out.empty()) {
    PHASEBIT_TRY(base::write_file(options.out, made));
  } else if (!options.json) {
    std::fwrite(made.data(), 1, made.size(), stdout);
  }
  return !options.fail_on.empty() && !guarded.notes.empty();
}

}  // namespace phasebit::app
