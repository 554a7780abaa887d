// Variants side by side as one HTML file.
#pragma once

#include "analysis/listing/page.h"
#include "pipeline/images/tools.h"
#include "pipeline/select/space.h"

#include <string>
#include <vector>

namespace phasebit {

struct PageRequest {
  SpaceRequest space;
  ToolOptions tools;
  std::vector<std::string> targets;     // empty or "all": every one that ptxas knows
  std::string reference;                // a target; "" for the first
  std::vector<std::string> toolchains;  // versions of ptxas to set side by side too
  std::string history = "sm_90";        // on this target
  std::string out = "sass.html";
};
// Writes it, and says what it holds.
Result<std::string> sass_page(const PageRequest& request);

}  // namespace phasebit
