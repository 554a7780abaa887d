// Where the functions of a file are, and what their signatures say.
#pragma once

#include "core/base/error.h"
#include "core/ptx/headings.h"
#include "core/ptx/statement.h"

#include <cstddef>
#include <string>
#include <vector>

namespace phasebit::ptx {

struct PtxParameter {
  std::string name;  // "pb"
  std::string text;  // ".param .align 8 .b8 pb[96]"
};

// An `.entry` or a `.func`. Indices are those of PtxFile::statements.
struct PtxFunction {
  bool entry = false;
  std::string name;
  std::string linkage;  // ".visible", ".extern", ".weak", or ""
  std::vector<PtxParameter> parameters, returns;
  std::size_t signature = 0;
  std::vector<std::size_t> directives;  // .maxntid, .maxnreg, ... between signature and body
  bool has_body = false;
  std::size_t open = 0, close = 0;  // its braces
  std::vector<PtxHeadLine> head_lines;
};

// What is outside the functions' bodies.
struct PtxOutline {
  std::vector<PtxFunction> functions;  // prototypes too, in their order
  std::vector<std::size_t> globals;    // declarations of variables outside functions
  std::string version, target;         // of .version and .target: "8.0", "sm_90a, debug"
};

// Of the statements of the file `name` and of what comes after the last of them.
Result<PtxOutline> find_functions(const std::string& name,
                                  const std::vector<PlacedStatement>& statements,
                                  const std::string& after);

}  // namespace phasebit::ptx
