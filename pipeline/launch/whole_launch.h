// What somebody must say of a kernel without a head before it can be launched.
#pragma once

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/image/whole.h"
#include "core/ptx/file.h"

#include <optional>
#include <string>
#include <vector>

namespace phasebit::pipeline::launch {

// As on the command line; "" and nothing where nobody said.
struct WholeFacts {
  std::vector<std::string> parameters, tensor_maps;  // assignment.h
  std::string raw_parameters;                        // a file of all parameters' bytes
  std::string captured;                              // "launch.toml" or "launch.toml#3"
  std::string grid, block, cluster;                  // "132" or "16,8,1"
  std::optional<int> shared_bytes;
  bool no_figure = false;
  bool empty() const;
};

// The command line goes before a captured launch, that before the file's directives and what Triton
// says of it. Step::usage names what is missing or contradicts a directive, and what to write.
Result<image::WholeLaunch> whole_launch(const ptx::PtxFile& file, const ptx::PtxFunction& entry,
                                        const fs::path& path, const WholeFacts& facts);

}  // namespace phasebit::pipeline::launch
