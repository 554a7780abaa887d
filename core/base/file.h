// Files. Errors carry Step::io unless a caller says otherwise, and name the path and the reason.
#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <filesystem>
#include <functional>
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
// half. What is not an ordinary file, such as /dev/stdout, is written to as it is.
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

// zstd through libzstd. The same content always gives the same bytes.

// The history that a reader keeps, in bytes as a power of two: 8 MiB.
inline constexpr int zstd_window_log = 23;
inline constexpr std::uint64_t most_unzstd_bytes = std::uint64_t{1} << 31;

// Level 19, with a checksum.
std::string zstd(std::string_view content);

// Whether the bytes begin like a frame.
bool is_zstd(std::string_view content);

// Gives the content of all frames to `take`, a piece of at most 128 KiB at a time, and ends with
// its first error. Step::io with `name` for bytes that are not zstd, damaged or cut short, need a
// larger window, or expand to more than `most_bytes`.
using TakePiece = std::function<Status(std::string_view piece)>;
Status unzstd(std::string_view content, const std::string& name, const TakePiece& take,
              std::uint64_t most_bytes = most_unzstd_bytes);

}  // namespace phasebit::base
