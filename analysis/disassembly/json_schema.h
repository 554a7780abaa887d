// The version of what `phasebit sass ... --json` prints.
#pragma once

namespace phasebit::disassembly {

// "schema" of each object that a command prints. It goes up when a key is renamed or taken away, or
// means something else; a new key does not change it (docs/sass.md, JSON).
inline constexpr int sass_json_schema = 1;

}  // namespace phasebit::disassembly
