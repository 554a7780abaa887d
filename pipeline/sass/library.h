// Two files of code, kernel by kernel.
#pragma once

#include "analysis/foreign/file.h"
#include "analysis/foreign/library.h"
#include "pipeline/images/tools.h"

#include <string>

namespace phasebit::pipeline::sass {

// One file of code and the target that is asked for; "" for any.
struct LibrarySide {
  const foreign::CodeFile* file = nullptr;
  std::string target;
};

// Whether it has to be a table: a side has several kernels.
Result<bool> has_several_kernels(const LibrarySide& side);

Result<foreign::LibraryDiff> library_diff(const images::Tools& tools,
                                          const disassembly::Disassembler& disassembler,
                                          const LibrarySide& left, const LibrarySide& right);

}  // namespace phasebit::pipeline::sass
