// What kernels code files hold.
#pragma once

#include "core/table/table.h"
#include "pipeline/images/tools.h"

#include <string>
#include <vector>

namespace phasebit::pipeline::sass {

struct SassListRequest {
  images::ToolOptions tools;
  std::vector<std::string> files;
  std::vector<std::string> targets;  // none: all that a file has
  bool in_full = false;              // names as they are, not shortened
};

// A row for each kernel: file (where there are several), number (what --kernel takes beside a name,
// with the same --target), name, target, bytes of code with padding, registers, static shared
// bytes. Nothing is disassembled. Images that were left out are notes on standard error.
// Step::usage when a file has nothing for a target.
Result<table::Table> sass_list(const SassListRequest& request);

}  // namespace phasebit::pipeline::sass
