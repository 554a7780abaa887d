#include "gen/guard/guard.h"

#include "cli/commands.h"

#include <cstdio>

#include <nlohmann/json.hpp>

namespace phasebit {
namespace {

nlohmann::json as_json(const WaitSite& site) {
  return {{"site", site.number},     {"kind", to_string(site.kind)},
          {"entry", site.entry},     {"file", site.file},
          {"line", site.line},       {"verb", site.verb},
          {"role", site.role},       {"opcode", site.opcode},
          {"operand", site.operand}, {"address", site.address},
          {"heading", site.heading}, {"item", site.item}};
}

void list_sites(const GuardedPtx& guarded) {
  for (const WaitSite& site : guarded.sites)
    fmt::print(stderr, "{:4} {:15} {:40} {} {}{}{}{}{}\n", site.number, to_string(site.kind),
               site.place(), site.opcode, site.role, site.role.empty() ? "" : " ", site.verb,
               site.heading.empty() ? "" : " ", site.heading);
  for (const std::string& note : guarded.notes) fmt::print(stderr, "note: {}\n", note);
}

}  // namespace

Status run_guard(const GuardCommand& options) {
  PHASEBIT_TRY_ASSIGN(text, read_file(options.file));
  PHASEBIT_TRY_ASSIGN(file, read_ptx(text, options.file));
  GuardOptions settings;
  settings.limit_ns = static_cast<std::uint64_t>(options.limit_ms) * 1'000'000;
  PHASEBIT_TRY_ASSIGN(guarded, guard(file, settings));
  if (options.json) {
    nlohmann::json sites = nlohmann::json::array();
    for (const WaitSite& site : guarded.sites) sites.push_back(as_json(site));
    fmt::print("{}\n", nlohmann::json({{"sites", sites}, {"notes", guarded.notes}}).dump(1));
  } else {
    list_sites(guarded);
  }
  const std::string made = write_ptx(guarded.file);
  if (!options.out.empty()) return write_file(options.out, made);
  if (!options.json) std::fwrite(made.data(), 1, made.size(), stdout);
  return {};
}

}  // namespace phasebit
