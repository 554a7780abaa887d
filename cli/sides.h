// Machine code of variants as sides of a difference.
#pragma once

#include "analysis/sass/diff.h"
#include "cli/sass_images.h"

#include <map>
#include <string>
#include <vector>

namespace phasebit {

struct CodeRequest {
  SpaceRequest space;
  std::string target;
  std::vector<std::string> ids;  // with their axes of ptxas
};

// By id: the code, or why there is none. The error says that nothing could be done.
Result<std::map<std::string, Result<DiffSide>>> code_of(Tools& tools, const CodeRequest& request);

}  // namespace phasebit
