// Code that phasebit did not make: a cubin, a fatbin, a host object, executable or library with
// fatbins in it, or a static library of such objects.
#pragma once

#include "analysis/cubin/cubin.h"
#include "core/base/file.h"
#include "core/isa/targets.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::foreign {

struct CodeImage {
  std::string name;          // the path of a cubin; else "app: 2: k.cu sm_90a", numbered from 1
  std::string_view bytes;    // of the cubin, as long as the image lives
  cubin::Cubin cubin;        // of its kernels `code` is empty: read_code_kernels reads it
  bool relocatable = false;  // not linked yet
  std::shared_ptr<const void> holds = {};  // the bytes
};

struct CodeFile {
  std::string path;
  std::vector<CodeImage> images;           // those with kernels, in the order of the file
  std::vector<std::string> notes;          // images that were left out, and why; equal ones once
  std::vector<std::string> remarks = {};   // what to know of those that are there
  std::vector<std::string> unopened = {};  // targets of images that were not asked for
};

// Of `only` ("sm_90a" or "sm_90"), where it names any, nothing of another SM is unpacked; a file
// without code for it then has no images. Linked code stands for relocatable code of the same SM
// in an executable or shared library. Images that cannot be read, or are for an SM that is not in
// `targets`, are notes where others are left.
//
// `cuobjdump` unpacks images that are packed in a way of their own, one at a time; it may be empty.
// Step::io, Step::toolchain (a cuobjdump that fails), else Step::disassemble.
Result<CodeFile> read_code_file(const fs::path& path, const fs::path& cuobjdump,
                                const isa::TargetTable& targets,
                                const std::vector<std::string>& only = {});

// The same of many images, said once.

// What is to be said of one image.
struct ImageNote {
  std::string image, text;
};

// In the order in which each text comes first: "IMAGE: TEXT", or of several images "FILE: 57
// images: TEXT (the first: IMAGE)". `what` is what they are called.
std::vector<std::string> fold_notes(const std::string& file, const std::vector<ImageNote>& notes,
                                    const std::string& what = "images");

}  // namespace phasebit::foreign
