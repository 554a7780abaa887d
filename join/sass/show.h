// The listing of one kernel, and the list of those that files hold.
#pragma once

#include "analysis/reading/notes.h"
#include "core/base/table.h"
#include "join/images/tools.h"
#include "join/select/space.h"

#include <string>
#include <vector>

namespace phasebit::join::sass {

struct SassShowRequest {
  select::SpaceRequest space;
  images::ToolOptions tools;
  std::string variant;  // or the path of a code or PTX file
  std::string target;   // "": sm_90a; of PTX its own; of a code file the only one
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

struct SassListRequest {
  base::Home home;  // where cuobjdump is looked for; without folders, nowhere
  std::vector<std::string> files;
  std::vector<std::string> targets;  // none: all that a file has
  bool full_names = false;           // not shortened
  bool with_images = false;          // a column more: which image of its file holds it
  bool with_symbols = false;         // a column more: the name as the file has it
};

// A row for each kernel: file (where there are several), image (where asked for), number (what
// --kernel takes in addition to a name, with the same --target), name, symbol (where asked for),
// target, bytes of code with padding, registers, static shared bytes. Nothing is disassembled, and
// no tool of a toolchain is needed but for images that are packed in a way of their own, and for
// PTX. Images that were left out are notes on standard error. Step::usage when a file has nothing
// for a target.
Result<base::Table> sass_list(const SassListRequest& request);

}  // namespace phasebit::join::sass
