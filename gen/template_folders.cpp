#include "gen/template_folders.h"

#include "core/base/toml.h"

#include <array>

namespace phasebit {

Result<std::vector<std::string>> template_folders(const fs::path& templates,
                                                  const Combination& combination) {
  struct Part {
    const char *folder, *kind;
    const std::string& name;
  };
  const std::array<Part, 4> parts = {{{"probes", "probe", combination.probe},
                                      {"protocols", "protocol", combination.protocol},
                                      {"movers", "mover", combination.mover},
                                      {"work", "work", combination.work}}};
  std::vector<std::string> folders;
  for (const Part& part : parts) {
    folders.push_back(fmt::format("{}/{}", part.folder, part.name));
    const fs::path file = templates / folders.back() / fmt::format("{}.toml", part.kind);
    if (!fs::exists(file)) continue;
    PHASEBIT_TRY_ASSIGN(table, read_toml(file));
    if (const TomlValue* uses = table.find("uses"))
      folders.push_back(fmt::format("{}/{}", part.folder, uses->text));
  }
  folders.emplace_back("common");
  return folders;
}

}  // namespace phasebit
