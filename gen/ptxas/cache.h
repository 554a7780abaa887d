// What ptxas made of a text once, by content: outcomes in an SQLite index, modules as files.
// docs/decisions/assembly-cache.md says why.
#pragma once

#include "core/base/file.h"
#include "gen/ptxas/assembler.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <SQLiteCpp/SQLiteCpp.h>

namespace phasebit::ptxas {

// Safe for several threads, and for several processes on one folder.
class Cache {
 public:
  // Makes the folder when it is missing. An index that is torn, or of another schema, is thrown
  // away and begun anew: notes() says so. Step::io when the folder cannot be used, or when it would
  // have to be begun anew while another process uses it.
  static Result<Cache> open(const fs::path& folder);
  Cache(Cache&&) noexcept;
  Cache& operator=(Cache&&) noexcept;
  ~Cache();

  // The outcomes of kernels by nameless_hash, under one configuration (target, ptxas, flags);
  // nothing where there is none or where its module is gone. An index that cannot be read is begun
  // anew.
  std::vector<std::optional<Outcome>> find(const std::string& configuration,
                                           const std::vector<std::string>& kernel_hashes);

  // Keeps outcomes by nameless_hash, and the modules they name, in one transaction: after a kill
  // all of them are there or none.
  Status add(const std::string& configuration,
             const std::vector<std::pair<std::string, Outcome>>& outcomes,
             const std::map<std::string, std::string>& modules);

  // The cubin of that hash, checked against it.
  Result<std::string> module(const std::string& hash) const;

  const fs::path& folder() const;

  // What a user should hear: that the cache was thrown away, and why.
  std::vector<std::string> notes() const;

 private:
  struct Impl;
  explicit Cache(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// The SQLite index of the assembly cache. Its functions throw SQLite::Exception: Cache turns them
// into values.

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
