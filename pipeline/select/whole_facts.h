// What somebody must say of a kernel without a head before it can be launched.
#pragma once

#include "core/base/error.h"
#include "core/image/whole.h"
#include "core/ptx/file.h"

#include <string>
#include <vector>

namespace phasebit::pipeline::select {

struct WholeFacts {
  std::vector<std::string> parameters;  // NAME=VALUE | NAME=buffer:BYTES[:fill] | NAME=items
  std::string grid, block;              // "132" or "16,8,1"; "" where nobody said
  int shared_bytes = 0, cluster = 1;
  bool empty() const { return parameters.empty() && grid.empty() && block.empty(); }
};

// Step::usage names what is missing and what to write: a parameter without a value, no items, no
// grid or block. A parameter may be named by its place, from 0 on.
Result<image::WholeLaunch> whole_launch(const ptx::PtxFile& file, const ptx::PtxFunction& entry,
                                        const WholeFacts& facts);

}  // namespace phasebit::pipeline::select
