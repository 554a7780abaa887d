// What is asked of a reduction, and what it came to.
#pragma once

#include "analysis/flow/opcode_census.h"
#include "gen/ptxas/assembler.h"

#include <array>
#include <chrono>
#include <string>

namespace phasebit::pipeline::reduce {

struct ReduceRequest {
  std::string opcode;  // a shell pattern, as in gates: "MEMBAR*"; "": chosen
  flow::CountIn where =
      flow::CountIn::loops;          // of what is counted; a chosen opcode may differ elsewhere
  std::chrono::seconds seconds{60};  // of reducing; what was reached is the result
  std::string file = "reduced.ptx";  // as the commands in the text call it
};

// How a side assembles.
struct ReduceSide {
  std::string target;
  ptxas::AssemblerChoice choice;
};

struct ReducedSide {
  std::string name;               // "ptxas 12.4.131 for sm_90"
  std::string banner;             // of `ptxas --version`: release and build
  std::string arguments;          // of ptxas: "-arch=sm_90 -O1"
  flow::OpcodeTally first, last;  // before and after
};

struct Reduction {
  std::string opcode;  // the pattern
  flow::CountIn where = flow::CountIn::loops;
  std::array<ReducedSide, 2> sides;
  // A module by itself: what it shows and how to see it as comments, then the PTX.
  std::string text;
  // Of the kernel, in lines without comments; bytes of the module without comments.
  std::size_t first_statements = 0, last_statements = 0, first_bytes = 0, last_bytes = 0;
  bool finished = false;  // nothing more can be left out; false: the time was over
  std::size_t candidates = 0;
  double seconds = 0;
};

}  // namespace phasebit::pipeline::reduce
