// A kernel as one list of statements: without inner blocks, its registers declared in front.
#pragma once

#include "core/base/error.h"
#include "core/ptx/statement.h"
#include "gen/ptxas/assembler.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace phasebit::reduce {

struct FlatLine {
  int id = 0;  // stays with the line whatever is removed around it; unique in a kernel
  ptx::PtxStatement statement;
};

struct FlatKernel {
  std::string ptx_version, ptx_target;
  std::string parameters;                        // ".param .align 8 .b8 pb[96]"
  std::vector<FlatLine> head;                    // directives between the signature and the body
  std::vector<FlatLine> body;                    // no braces, no .reg
  std::map<std::string, std::string> registers;  // name -> ".b32"; names that nothing mentions too
};

// Names that two inner blocks both declare are told apart ("more", "more_2"). The code is not
// always the same: ptxas may number registers in another order. Step::assemble where the text is
// not a single kernel with a body.
Result<FlatKernel> flatten(const ptxas::Kernel& kernel);

// With the declarations that the body needs, no others.
ptxas::Kernel as_kernel(const FlatKernel& kernel, const std::string& entry);

// "pb" of the parameters above; "" where there are none.
std::string first_parameter(const FlatKernel& kernel);

// Whether any statement mentions the name.
bool mentions(const FlatKernel& kernel, const std::string& name);

}  // namespace phasebit::reduce
