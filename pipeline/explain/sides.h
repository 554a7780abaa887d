// Machine code of variants as sides of a difference.
#pragma once

#include "analysis/compare/diff.h"
#include "pipeline/images/sass_images.h"

#include <map>
#include <string>
#include <vector>

namespace phasebit::pipeline::explain {

struct CodeRequest {
  select::SpaceRequest space;
  std::string target;
  std::vector<std::string> ids;     // with their axes of ptxas
  std::vector<select::Space> read;  // kernels of files, beside them
};

// By id: the code, or why there is none.
using CodeSides = std::map<std::string, Result<compare::DiffSide>>;

// The error says that nothing could be done.
Result<CodeSides> code_of(images::Tools& tools, const CodeRequest& request);

// Whether the code that a row was measured with is that of the side.
bool is_code_of(const std::string& text_hash, const std::string& sass_class,
                const compare::DiffSide& side);

}  // namespace phasebit::pipeline::explain
