// The expectations of a file, checked on variants or the kernels of files.
#pragma once

#include "analysis/gate/expectations.h"
#include "join/sass/subjects.h"

#include <string>
#include <vector>

namespace phasebit::join::sass {

// Without files those that the rules name; without targets those of the rules.
struct GateRequest : SubjectRequest {
  std::string file;         // of expectations
  bool full_names = false;  // of files: long names whole
};
// A file that cannot be opened, or a kernel that cannot be read or judged, is unjudged in the
// report; an error where nothing else is left. Step::usage for a target of which no file has code.
Result<gate::GateReport> sass_gate(const GateRequest& request);

// The files that shell patterns name, in the order of the patterns, each once; a pattern counts
// from `folder` unless it is a path from the root. Step::usage for one that fits no file.
Result<std::vector<std::string>> expand_files(const std::vector<std::string>& patterns,
                                              const std::string& folder);

}  // namespace phasebit::join::sass
