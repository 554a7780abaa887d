// A file until it is whole.
#pragma once

#include "core/base/error.h"

#include <filesystem>
#include <utility>

namespace phasebit::base {

// An empty file next to its place, removed with the object, or by Ctrl-C, unless it has been put
// there.
class PartFile {
 public:
  static Result<PartFile> create(const std::filesystem::path& place);
  PartFile(PartFile&& other) noexcept
      : place_(std::move(other.place_)), path_(std::exchange(other.path_, {})) {}
  PartFile& operator=(PartFile&&) = delete;
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;
  ~PartFile();
  const std::filesystem::path& path() const { return path_; }
  Status put() const;  // in the place of what is there

 private:
  PartFile(std::filesystem::path place, std::filesystem::path path)
      : place_(std::move(place)), path_(std::move(path)) {}
  std::filesystem::path place_, path_;
};

}  // namespace phasebit::base
