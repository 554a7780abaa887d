// Files. Errors carry Step::io unless a caller says otherwise, and name the path and the reason.
#pragma once

#include "core/base/error.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace phasebit {
namespace fs = std::filesystem;
}  // namespace phasebit

namespace phasebit::base {

// With all folders above it; one that is there is left as it is.
Status make_folder(const fs::path& folder);

Result<std::string> read_file(const fs::path& path);

// Writes to a neighbour and renames it: a full disk or a kill leaves the old file or none, never
// half. What is no ordinary file, such as /dev/stdout, is written to as it is.
Status write_file(const fs::path& path, std::string_view content);

// A directory of its own that is removed with the object.
class TempDir {
 public:
  static Result<TempDir> create();
  TempDir(TempDir&& other) noexcept;
  TempDir& operator=(TempDir&&) = delete;
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir();
  const fs::path& path() const { return path_; }

 private:
  explicit TempDir(fs::path path) : path_(std::move(path)) {}
  fs::path path_;
};

// The source tree that this program was built from: for tests alone.
fs::path source_root();

}  // namespace phasebit::base
