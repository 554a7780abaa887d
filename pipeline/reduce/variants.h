// A reduction of what a command line names.
#pragma once

#include "pipeline/reduce/reduce.h"

#include <string>
#include <vector>

namespace phasebit::pipeline::reduce {

struct VariantReduceRequest {
  select::SpaceRequest space;
  images::ToolOptions tools;
  std::string first, second;                      // variants of one text; second empty: the first
  std::vector<std::string> targets = {"sm_90a"};  // one, or one for each side
  std::vector<std::string> toolchains;            // versions of ptxas: none, one, or one a side
  std::string opcode;                             // a pattern; "" for the one that differs most
  bool in_loop = true;                            // false: in the whole kernel
  int seconds = 60;
  std::string out;  // how the commands in the text call the file; "" for reduced.ptx
};
Result<Reduction> reduce_variants(const VariantReduceRequest& request);

}  // namespace phasebit::pipeline::reduce
