// What a user must say of a kernel without a head before it can be launched.
#pragma once

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/launch/external.h"
#include "core/ptx/file.h"
#include "join/capture/parameter_list.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace phasebit::join::capture {

// As on the command line; "" and nothing where it was not given.
struct ExternalFacts {
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
Result<launch::ExternalLaunch> external_launch(const ptx::PtxFile& file,
                                               const ptx::PtxFunction& entry, const fs::path& path,
                                               const ExternalFacts& facts);

// What a command line says of a parameter: `--param` and `--tensor-map`.

// PLACE=VALUE, PLACE=TYPE:VALUE, PLACE=buffer:BYTES[:FILL], PLACE=bytes:DIGITS, PLACE=items[:TYPE],
// where PLACE is a parameter's name or number, in a struct with +BYTES after it. Step::usage says
// what it is not, and what to write.
Result<launch::ExternalParameter> read_assignment(const ParameterList& list,
                                                  const std::string& text);

// PLACE=ELEMENT,SIZES,STRIDES,BOX,SWIZZLE,INTERLEAVE: a map of a tensor of its own, of zeros. PLACE
// may be the offset among all parameters' bytes, too.
Result<launch::ExternalParameter> read_tensor_map(const ParameterList& list,
                                                  const std::string& text);

// What others have said of a kernel's launch: its own directives, and the file that Triton writes
// next to its PTX.

using Size = std::array<int, 3>;

struct Stated {
  std::optional<Size> block, cluster;
  std::optional<int> shared_bytes;
  // .reqntid and .reqnctapercluster: no launch may say otherwise. `most_threads` of .maxntid.
  bool block_is_required = false, cluster_is_required = false;
  std::optional<std::int64_t> most_threads;
};

// Of FILE.ptx Triton's file is FILE.json; another file of that name says nothing. Step::io when it
// cannot be read, Step::spec when it is not JSON.
Result<Stated> stated_launch(const ptx::PtxFile& file, const ptx::PtxFunction& entry,
                             const fs::path& path);

}  // namespace phasebit::join::capture
