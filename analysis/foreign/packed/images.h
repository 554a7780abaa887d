// Which images a file holds, before any of them is unpacked.
#pragma once

#include "analysis/foreign/packed/fatbin.h"
#include "core/base/error.h"
#include "core/base/file.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::foreign::packed {

struct PackedImage {
  std::string name;  // "app: 2: k.cu sm_90a", numbered from 1 as cuobjdump -lelf does
  FatbinMember member;
  bool relocatable = false;  // of a section of relocatable fatbins
};

struct ImageList {
  std::vector<PackedImage> images;    // the cubins, in the order of the file
  std::vector<std::string> problems;  // parts that cannot be read, and why
  std::size_t ptx = 0, lto = 0;       // images of other kinds
  bool linked = false;                // an executable or a shared library
};

// Whether it is an ELF file of machine code for a GPU.
bool is_cubin(std::string_view bytes);

// Of a fatbin, a host object, executable or library, or a static library of objects. The views
// point into `bytes`; `name` stands for the file in messages. Step::disassemble when it is none of
// them, or nothing of it can be read.
Result<ImageList> list_images(std::string_view bytes, const std::string& name);

// Static libraries: the members of an archive of ar.

struct ArchiveMember {
  std::string name;        // "k.o"
  std::string_view bytes;  // in the archive
};

// A thin archive too, which read_archive refuses.
bool is_archive(std::string_view bytes);

// In their order, without the tables of symbols and of long names. `name` stands for the file in
// messages. Step::disassemble when a header is damaged or a member is cut short, and for a thin
// archive, whose members are other files.
//
// The layout is ar(5): a line "!<arch>", then a header of 60 bytes before each member, which begins
// at an even place.
Result<std::vector<ArchiveMember>> read_archive(std::string_view bytes, std::string_view name);

// A file's bytes without reading them: pages come in when they are looked at.

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
