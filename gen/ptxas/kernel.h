// One rendered kernel: PTX statements and where each came from.
#pragma once

#include "core/image/manifest.h"
#include "core/image/source_map.h"

#include <string>
#include <vector>

namespace phasebit::ptxas {

// What a line of a file that goes to ptxas as it is holds for `.loc`.
enum class LineKind {
  other,
  executable,     // an instruction begins on it, in a body that was opened above it
  line_directive  // a `.loc` or `.file` of its own
};

struct Kernel {
  std::string entry;  // "pb_0123456789ab_t": from the variant's hash and the build
  image::Build build = image::Build::timed;
  std::string ptx_version;  // lowest `.version` that its forms need: "8.0"
  std::string ptx_target;   // lowest `.target`: "sm_90"
  // The text of the `.entry`, from its `.visible .entry` line to the closing brace. One statement,
  // label, directive or brace a line, without comments and blank lines, so that a changed comment
  // changes no hash. Statement n (1-based) is what `.loc` names and `source[n - 1]` explains.
  std::vector<std::string> statements;
  image::SourceMap source;
  // What the module needs in front of its kernels beside the dynamic shared memory, one statement a
  // line; kernels of one module have it in common. Empty but for guarded builds.
  std::vector<std::string> preamble;
  // content_hash of version, target, preamble and statements without the entry's name
  std::string hash;
  // True: `statements` are the lines of a whole file, as somebody wrote it, from its .version on.
  // It is assembled by itself: it may hold functions, globals and other entries.
  bool as_is = false;
  std::vector<LineKind> line_kinds;  // of a kernel as it is, one a line
};

// What every module starts with after .version, .target and .address_size: the dynamic shared
// memory.
inline constexpr const char* module_shared_declaration =
    ".extern .shared .align 128 .b8 pb_shared[];";

}  // namespace phasebit::ptxas
