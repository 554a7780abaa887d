// One of two kernels that are compared.
#pragma once

#include "analysis/flow/features.h"

#include <string>
#include <vector>

namespace phasebit::compare {

struct DiffSide {
  std::string name;  // for people: variant and target, file and kernel
  int sm = 0;        // words are compared only where both have the same
  cubin::SassKernel kernel;
  image::SourceMap source;  // empty: no verbs
  std::vector<flow::RoleWindow> windows;
  // Whether its verbs are those of the other side. Source lines of two files are not: they are
  // shown, and nothing goes by them.
  bool shares_verbs = true;
  std::string sass_class = {};  // of a variant: with its launch shape, as rows name it
  // Its verbs are source lines. A line that both sides have is one of the same function; what is
  // of a line that one side alone has may be aligned with anything of that kind.
  bool has_lines = false;
};

}  // namespace phasebit::compare
