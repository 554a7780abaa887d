// A file's bytes without reading them: pages come in when they are looked at.
#pragma once

#include "core/base/file.h"

#include <memory>
#include <string>
#include <string_view>

namespace phasebit::foreign::packed {

class MappedFile {
 public:
  // What cannot be mapped, such as a pipe, is read. Step::io as read_file's. The file must not be
  // cut short while it is mapped.
  static Result<std::shared_ptr<const MappedFile>> open(const fs::path& path);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::string_view bytes() const { return map_ != nullptr ? std::string_view(map_, size_) : read_; }

 private:
  MappedFile() = default;
  char* map_ = nullptr;
  std::size_t size_ = 0;
  std::string read_;  // where there is no map
};

}  // namespace phasebit::foreign::packed
