// What others have said of a kernel's launch: its own directives, and the file that Triton writes
// beside its PTX.
#pragma once

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/ptx/file.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace phasebit::pipeline::launch {

using Size = std::array<int, 3>;

struct Stated {
  std::optional<Size> block, cluster;
  std::optional<int> shared_bytes;
  // .reqntid and .reqnctapercluster: no launch may say otherwise. `most_threads` of .maxntid.
  bool block_is_required = false, cluster_is_required = false;
  std::optional<std::int64_t> most_threads;
};

// Of FILE.ptx Triton's file is FILE.json; another file of that name says nothing. Step::io when it
// cannot be read, Step::spec when it is no JSON.
Result<Stated> stated_launch(const ptx::PtxFile& file, const ptx::PtxFunction& entry,
                             const fs::path& path);

}  // namespace phasebit::pipeline::launch
