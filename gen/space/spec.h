// Sweeps: which points of the space a spec wants.
#pragma once

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/home.h"
#include "core/base/toml.h"
#include "gen/space/catalogue.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace phasebit::space {

struct AxisValues {
  std::string axis;
  std::vector<std::string> values;
};

// The points of a block: for each combination of `cross` (first axis slowest), with `baseline`
// beneath it: that point itself, then each value of `once_around` alone, then each two axes of
// `pairs` combined.
struct SweepBlock {
  std::string doc;
  std::vector<std::pair<std::string, std::string>> baseline;
  std::vector<AxisValues> cross, once_around, pairs;
  std::optional<Expression> when;  // other points are left out
  std::string reason;              // what those are counted under
  std::string where;               // "specs/core.toml:12"
};

// A text of the user's for one verb (gen/kernel/snippet.h).
struct SweepSnippet {
  std::string verb;
  fs::path file;      // relative names count from the spec file's folder
  std::string where;  // "specs/mine.toml:12"
};

struct Sweep {
  std::string name, doc;
  std::vector<SweepBlock> blocks;
  std::vector<SweepSnippet> snippets;
  std::vector<AxisValues> assembler;  // [sweep.assembler]: each variant compiled with each of these
};

struct Spec {
  std::string file;
  std::vector<Sweep> sweeps;
  // Step::usage with the nearest name.
  Result<const Sweep*> find(std::string_view name) const;
};

// Step::spec; the message begins with "file:line: key: ".
Result<Spec> load_spec(const base::Home& home, const fs::path& path, const Catalogue& catalogue);
// The same of its TOML.
Result<Spec> read_spec(const base::Home& home, const base::TomlValue& table,
                       const std::string& file, const Catalogue& catalogue);

// "1,2,4:16:4" -> 1 2 4 8 12 16 for an axis; "all" -> all its values. Each must be a value of the
// axis.
Result<std::vector<std::string>> parse_values(const Catalogue& catalogue, std::string_view axis,
                                              std::string_view text);

// The same of an axis of a compiler, on this machine: "12.4" is the newest 12.4 that is installed,
// "all" every version; "22" the LLVM of this build. Step::usage, or toolchain with what to install.
Result<AxisValues> parse_compiler_values(const base::Home& home, const Catalogue& catalogue,
                                         std::string_view axis, std::string_view text);

// "stages=1,2,4:16:4", as given to -a. Step::usage.
Result<AxisValues> parse_override(const Catalogue& catalogue, std::string_view text);

}  // namespace phasebit::space
