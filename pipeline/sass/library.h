// Two files of code, kernel by kernel.
#pragma once

#include "analysis/foreign/file.h"
#include "analysis/foreign/library.h"
#include "core/base/home.h"
#include "core/table/table.h"
#include "pipeline/images/tools.h"

#include <string>
#include <vector>

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

// What kernels code files hold.

struct SassListRequest {
  base::Home home;  // where cuobjdump is looked for; without folders, nowhere
  std::vector<std::string> files;
  std::vector<std::string> targets;  // none: all that a file has
  bool full_names = false;           // not shortened
  bool with_images = false;          // a column more: which image of its file holds it
  bool with_symbols = false;         // a column more: the name as the file has it
};

// A row for each kernel: file (where there are several), image (where asked for), number (what
// --kernel takes beside a name, with the same --target), name, symbol (where asked for), target,
// bytes of code with padding, registers, static shared bytes. Nothing is disassembled, and no tool
// of a toolchain is needed but for images that are packed in a way of their own. Images that were
// left out are notes on standard error. Step::usage when a file has nothing for a target.
Result<table::Table> sass_list(const SassListRequest& request);

}  // namespace phasebit::pipeline::sass
