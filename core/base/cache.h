// What was made once and is found again by what it was made of: values in an SQLite index, large
// content as files. docs/decisions/cache.md says why.
#pragma once

#include "core/base/file.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace phasebit::base {

inline constexpr int cache_format = 2;

// Safe for several threads, and for several processes on one folder. A copy is the same cache.
class Cache {
 public:
  // Makes the folder when it is missing. An index that is torn, or of another format, is thrown
  // away and begun anew: notes() says so. Step::io when the folder cannot be used, or when it would
  // have to be begun anew while another process uses it.
  static Result<Cache> open(const fs::path& folder);

  // Values by key, in the order of the keys; nothing where there is none or it is torn. `kind` is
  // what decides a value in addition to its key: the tool with its version and flags, the program,
  // the format. An index that cannot be read is begun anew.
  std::vector<std::optional<std::string>> find(const std::string& kind,
                                               const std::vector<std::string>& keys) const;

  // Keeps values by key, in one transaction: after a kill all of them are there or none. Step::io
  // when they cannot be kept, which costs time and no result.
  using Entries = std::vector<std::pair<std::string, std::string>>;
  Status add(const std::string& kind, const Entries& entries) const;

  // Large content is a file under its content_hash. Keep it before what names it.
  Status add_file(const std::string& hash, std::string_view content) const;
  // Nothing where there is none: a kill, a full disk or a user can take it away.
  std::optional<std::uintmax_t> file_bytes(const std::string& hash) const;
  // Checked against its hash.
  Result<std::string> file(const std::string& hash) const;

  const fs::path& folder() const;

  // What a user should hear: that the cache was thrown away, and why.
  std::vector<std::string> notes() const;

 private:
  struct Impl;
  explicit Cache(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<Impl> impl_;
};

}  // namespace phasebit::base
