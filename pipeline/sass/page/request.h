// What a page is asked for.
#pragma once

#include "pipeline/images/tools.h"
#include "pipeline/select/space.h"

#include <optional>
#include <string>
#include <vector>

namespace phasebit::pipeline::sass::page {

struct PageRequest {
  select::SpaceRequest space;
  images::ToolOptions tools;
  std::vector<std::string> files;       // code files in the place of variants; PTX is variants
  std::string kernel;                   // of files: a symbol, a C++ name, or a part; "" for all
  std::string source;                   // of files: "inner" (also ""), "outer" or a source file
  std::vector<std::string> targets;     // empty or "all": every one that ptxas knows, or files have
  std::string reference;                // a column; "" for the first that has code
  std::vector<std::string> toolchains;  // versions of ptxas to set side by side too
  std::string history = "sm_90";        // on this target; both of variants alone
  std::string out = "sass.html";
};

// The column of that name; none for "". Step::usage with the nearest name.
Result<std::optional<std::size_t>> page_reference(const std::string& word,
                                                  const std::vector<std::string>& columns);

}  // namespace phasebit::pipeline::sass::page
