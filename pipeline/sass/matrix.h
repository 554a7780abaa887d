// Variants, or kernels of code files, side by side.
#pragma once

#include "analysis/compare/matrix.h"
#include "pipeline/images/tools.h"
#include "pipeline/select/space.h"

#include <string>
#include <vector>

namespace phasebit::pipeline::sass {

struct MatrixRequest {
  select::SpaceRequest space;
  images::ToolOptions tools;
  std::vector<std::string> targets;     // empty or "all": every one that ptxas knows
  std::vector<std::string> toolchains;  // versions of ptxas; empty: what each variant asks for
  std::string reference;  // a column, or its target or ptxas, or a variant; "" for the first column
  std::vector<std::string> files;  // code files in place of variants
  std::string kernel;              // of files: a part of the name; "" for all
  std::string source;    // of files: what to count by, inner, outer or a file; "": nothing
  bool in_full = false;  // all features of a variant: of thousands they are much
};
Result<compare::Matrix> sass_matrix(const MatrixRequest& request);

// Which variants, or kernels of code files, are one code.

struct ClassesRequest {
  select::SpaceRequest space;
  images::ToolOptions tools;
  std::string target;              // "": sm_90a; of files, every one
  std::vector<std::string> files;  // code files in place of variants
  std::string kernel;              // of files: a part of the name; "" for all
  std::string source;  // of files: what to count by, inner, outer or a file; "": nothing
  bool json = false;
};
// analysis/compare/classes.h and analysis/foreign/library.h say what is printed.
Result<std::string> sass_classes(const ClassesRequest& request);

}  // namespace phasebit::pipeline::sass
