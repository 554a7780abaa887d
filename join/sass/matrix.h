// Variants, or kernels of code files, side by side.
#pragma once

#include "analysis/compare/matrix.h"
#include "join/sass/subjects.h"

#include <string>

namespace phasebit::join::sass {

struct MatrixRequest : SubjectRequest {
  std::string reference;  // a column, or its target or ptxas, or a variant; "" for the first column
  bool in_full = false;   // all features of a variant: of thousands they are much
};
Result<compare::Matrix> sass_matrix(const MatrixRequest& request);

// Which variants, or kernels of code files, are one code.

struct ClassesRequest : SubjectRequest {
  std::string target;  // "": of variants sm_90a, of PTX its own, of code files every one
  bool json = false;
};
// analysis/compare/classes.h and analysis/foreign/library.h say what is printed.
Result<std::string> sass_classes(const ClassesRequest& request);

}  // namespace phasebit::join::sass
