// The loops of a kernel, each with what one turn of it costs.
#pragma once

#include "analysis/flow/features.h"
#include "core/image/source_map.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace phasebit::reading {

// A loop, outermost first among those that lie in each other.
struct CodeLoop {
  std::uint32_t begin = 0, end = 0;      // addresses: the header, and behind its last instruction
  int depth = 1;                         // 1 = outermost
  flow::CodeCounts own;                  // at its own depth: one turn
  flow::CodeCounts inner;                // of the loops inside it, each counted once
  std::vector<std::uint32_t> addresses;  // of its instructions
  std::vector<std::uint32_t> own_addresses;  // of those at its own depth
  std::string lines;                         // "k.cu:9-12, inc.h:5"; "" without line information
};

struct CodeLoops {
  std::vector<CodeLoop> loops;  // in the order of the code
  // Why there may be others: a branch that cannot be followed, a cycle of two entries. "" when
  // these are all.
  std::string problem;
  // Nothing where a branch cannot be followed: there may be any.
  std::optional<std::size_t> count() const {
    return followed ? std::optional(loops.size()) : std::nullopt;
  }
  bool followed = true;
};

// The functions inside the kernel are entered as it is itself. A call is no edge.
CodeLoops find_code_loops(const cubin::SassKernel& kernel, const image::SourceMap& source);

}  // namespace phasebit::reading
