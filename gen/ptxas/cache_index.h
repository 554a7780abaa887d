// The SQLite index of the assembly cache. Its functions throw SQLite::Exception:
// gen/ptxas/cache.cpp, its only user, turns them into values.
#pragma once

#include "core/base/file.h"
#include "gen/ptxas/outcome.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <SQLiteCpp/SQLiteCpp.h>

namespace phasebit::ptxas {

inline constexpr int cache_schema_version = 1;

class CacheIndex {
 public:
  // Opens or makes it, and looks for damage: SQLITE_NOTADB for another schema.
  explicit CacheIndex(const fs::path& file);

  using ModuleCheck = std::function<bool(const std::string& hash, std::int64_t bytes)>;
  // Outcomes by kernel hash; nothing where there is none, or where `module_ok` says no to its
  // module (asked once a module).
  std::vector<std::optional<Outcome>> find(const std::string& configuration,
                                           const std::vector<std::string>& kernel_hashes,
                                           const ModuleCheck& module_ok);
  void add(const std::string& configuration,
           const std::vector<std::pair<std::string, Outcome>>& outcomes,
           const std::map<std::string, std::string>& modules);

 private:
  int configuration_id(const std::string& name);  // -1 when there is none

  SQLite::Database database_;
};

}  // namespace phasebit::ptxas
