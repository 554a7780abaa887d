// Which variants, or kernels of code files, are one code.
#pragma once

#include "pipeline/images/tools.h"
#include "pipeline/select/space.h"

#include <string>
#include <vector>

namespace phasebit::pipeline::sass {

struct ClassesRequest {
  select::SpaceRequest space;
  images::ToolOptions tools;
  std::string target;              // "": sm_90a; of files, every one
  std::vector<std::string> files;  // code files in place of variants
  std::string kernel;              // of files: a part of the name; "" for all
  std::string source;  // of files: what to count by, inner, outer or a file; "": nothing
  bool json = false;
};
// analysis/compare/classes.h and analysis/foreign/classes.h say what is printed.
Result<std::string> sass_classes(const ClassesRequest& request);

}  // namespace phasebit::pipeline::sass
