// Code that phasebit did not make: a cubin, a fatbin, or a host object, executable or library with
// fatbins in it.
#pragma once

#include "analysis/cubin/cubin.h"
#include "core/base/file.h"
#include "core/isa/targets.h"

#include <string>
#include <vector>

namespace phasebit {

struct CodeImage {
  std::string name;   // the path of a cubin; else "app: 2: k.sm_90a.cubin", numbered from 1
  std::string bytes;  // of the cubin
  Cubin cubin;
};

struct CodeFile {
  std::string path;
  std::vector<CodeImage> images;   // those with kernels, in the order of the file
  std::vector<std::string> notes;  // images that were left out, and why
};

// `cuobjdump` unpacks what is no cubin; it may be empty for a cubin. Each fatbin is unpacked by
// itself: cuobjdump names images by source file and target, and two of one name would overwrite
// each other. Images that cannot be read, or are for an SM that is not in `targets`, are notes
// where others are left. Step::io, Step::toolchain (no cuobjdump, or one that fails), else
// Step::disassemble; never a file without images.
Result<CodeFile> read_code_file(const fs::path& path, const fs::path& cuobjdump,
                                const TargetTable& targets);

}  // namespace phasebit
