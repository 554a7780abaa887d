#include "analysis/foreign/packed/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace phasebit::foreign::packed {

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const fs::path& path) {
  std::shared_ptr<MappedFile> file(new MappedFile);
  struct stat about{};
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd >= 0 && ::fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0) {
    const auto size = static_cast<std::size_t>(about.st_size);
    void* map = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map != MAP_FAILED) file->map_ = static_cast<char*>(map), file->size_ = size;
  }
  if (fd >= 0) ::close(fd);
  if (file->map_ == nullptr) {
    PHASEBIT_TRY_ASSIGN(content, base::read_file(path));
    file->read_ = std::move(content);
  }
  return file;
}

MappedFile::~MappedFile() {
  if (map_ != nullptr) ::munmap(map_, size_);
}

}  // namespace phasebit::foreign::packed
