// The loops of a kernel, each with what one turn of it costs.
#pragma once

#include "analysis/flow/features.h"
#include "core/base/error.h"
#include "core/base/table.h"
#include "core/launch/source_map.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace phasebit::reading {

// A loop, outermost first among those that lie in each other.
struct CodeLoop {
  std::uint32_t begin = 0, end = 0;      // addresses: the header, and after its last instruction
  int depth = 1;                         // 1 = outermost
  flow::CodeCounts own;                  // at its own depth: one turn
  flow::CodeCounts inner;                // of the loops inside it, each counted once
  std::vector<std::uint32_t> addresses;  // of its instructions
  std::vector<std::uint32_t> own_addresses;  // of those at its own depth
  // "k.cu:9-12, inc.h:5", or "consumer.wait, consumer.drain"; "" without line information
  std::string lines;
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

// The functions inside the kernel are entered as it is itself. A call is not an edge. `has_lines`:
// the map is of source lines, else of statements with their verbs.
CodeLoops find_code_loops(const cubin::SassKernel& kernel, const launch::SourceMap& source,
                          bool has_lines = true);

// The loops of a kernel as a table, and a part of its code chosen by them.

// Loops of one function; `function` is "" for the kernel itself.
struct FunctionLoops {
  std::string function;
  const CodeLoops* loops = nullptr;
};

// A row a loop, numbered from 1 over all functions: where it is, depth, what a turn costs at its
// own depth, key opcodes, the pipelines that its opcodes go to, and the first of its lines. `lines`
// is what these are: "source lines", "verbs". Step::spec when the table of pipelines cannot be
// read.
Result<base::Table> loop_table(const std::vector<FunctionLoops>& functions, int sm,
                               const std::string& lines);

// By instruction: whether it is in a loop.
std::vector<bool> in_any_loop(const cubin::SassKernel& kernel, const CodeLoops& loops);

// By instruction: whether it is in that loop, numbered from 1. Step::usage, with how many there
// are.
Result<std::vector<bool>> in_loop(const cubin::SassKernel& kernel, const CodeLoops& loops,
                                  int number);

// "k.cu:4-5, inc.h:2, ...": the first two of CodeLoop::lines.
std::string first_lines(const std::string& lines);

// The loop that a reader looks at first.

// By loop of `loops`: whether it only waits. Of its own instructions one is a try (SYNCS.PHASECHK,
// *TRY*), a sleep, or a load whose value decides whether the loop is left; and none computes with
// floats or matrices, stores, copies or arrives.
std::vector<bool> waiting_loops(const cubin::SassKernel& kernel, const CodeLoops& loops);

// The hottest loop, of `loops`: of those that do not only wait the deepest, of several that with
// the most issue cycles of its own, then with the most instructions, then the first. None where no
// loop is left.
std::optional<std::size_t> hottest_loop(const cubin::SassKernel& kernel, const CodeLoops& loops);

// How many loops are around each instruction.
std::vector<int> loop_depths(const cubin::SassKernel& kernel, const CodeLoops& loops);

}  // namespace phasebit::reading
