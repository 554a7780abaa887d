// The listing of one kernel, a variant's or of a code file.
#pragma once

#include "analysis/reading/notes.h"
#include "pipeline/images/tools.h"
#include "pipeline/select/space.h"

#include <string>

namespace phasebit::pipeline::sass {

struct SassShowRequest {
  select::SpaceRequest space;
  images::ToolOptions tools;
  std::string variant;  // or the path of a code file
  std::string target;   // "": sm_90a; of a file, the only one
  std::string kernel;   // of a file
  std::string build = "timed";
  std::string source;  // of a file: inner, outer or a source file; "": inner
  bool json = false, live = false;
  bool full_names = false;  // of a file: long names whole, as JSON has them
  reading::Excerpt excerpt;
  bool waits = false;  // what each wait for a scoreboard is for
  bool flow = false;   // the flow graph for Graphviz
  bool ptx = false;    // of a file: the PTX that it carries
};
Result<std::string> sass_show(const SassShowRequest& request);

}  // namespace phasebit::pipeline::sass
