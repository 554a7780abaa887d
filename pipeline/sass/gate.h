// The expectations of a file, held against variants or the kernels of code files.
#pragma once

#include "analysis/gate/expectations.h"
#include "pipeline/images/tools.h"
#include "pipeline/select/space.h"

#include <string>
#include <vector>

namespace phasebit::pipeline::sass {

struct GateRequest {
  select::SpaceRequest space;
  images::ToolOptions tools;
  std::string file;                     // of expectations
  std::vector<std::string> files;       // code or PTX; empty: those that the rules file names
  std::string source;                   // of files: inner, outer or a source file; "": inner
  bool full_names = false;              // of files: long names whole
  std::vector<std::string> targets;     // empty: those of the rules file, else every one
  std::vector<std::string> toolchains;  // versions of ptxas; empty: what each variant asks for
};
Result<gate::GateReport> sass_gate(const GateRequest& request);

}  // namespace phasebit::pipeline::sass
