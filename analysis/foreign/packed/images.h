// Which images a file holds, before any of them is unpacked.
#pragma once

#include "analysis/foreign/packed/fatbin.h"

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

}  // namespace phasebit::foreign::packed
