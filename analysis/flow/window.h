// The timed window of each role of a kernel, and the timed loop in it.
#pragma once

#include "analysis/flow/loops.h"
#include "core/launch/source_map.h"

#include <string>
#include <vector>

namespace phasebit::flow {

// Where an instruction is with respect to one role's window.
enum class Heat {
  outside,  // not in the window
  beside,   // in the window, but not in the timed loop: before, after, peeled iterations
  hot,      // on the path of an iteration
  // In the timed loop: deeper loops (a wait's retry, a work loop), out-of-line code, and what only
  // a diverged warp runs (after BRA.DIV).
  cold
};

struct RoleWindow {
  std::string role;
  // Empty when the window could be found; else why not: "clock_end is read 2 times (0x1f0, 0x340)".
  std::string problem;
  int start = -1, end = -1;  // instructions that read the clock
  int loop_header = -1;      // first instruction of the timed loop
  std::vector<Heat> heat;    // by instruction
  // By instruction: loops around it inside the timed loop (0 = its own depth), and its basic block.
  std::vector<int> depth, block;
};

// One window for each role that has a clock_start or clock_end line in the source map, in the order
// of the map; never empty: without such a line, one window that says so. The window is what lies on
// any path from the start read to the end read, so a retry that comes after EXIT belongs to it.
//
// The timed loop is, of the outermost loops that lie in the window, the one with instructions of
// the most verbs of the role; of several, the one with the most instructions of verbs, then the
// first. Prologue and epilogue loops of a ring have fewer verbs than its main loop; a remainder
// loop of an unrolled one is smaller. If a loop in it has all waits of a consumer, and words are
// used in the other alone, that loop is the timed one: the other goes over tiles.
std::vector<RoleWindow> find_windows(const cubin::SassKernel& kernel,
                                     const launch::SourceMap& source);

// The source line of an instruction, or null.
const launch::SourceLine* source_line(const launch::SourceMap& source,
                                      const cubin::Instruction& instruction);

// "consumer.wait", "wait", "consumer", or "" without a line.
std::string verb_name(const launch::SourceLine* line);

// Whether it reads the clock. CS2R also reads other special registers and zeroes registers.
bool reads_clock(const cubin::Instruction& instruction);

}  // namespace phasebit::flow
