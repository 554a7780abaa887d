// Two kernels, variants or of files, and how their code differs.
#pragma once

#include "analysis/compare/diff.h"
#include "analysis/foreign/library.h"
#include "join/images/tools.h"
#include "join/select/space.h"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace phasebit::join::sass {

struct DiffRequest {
  select::SpaceRequest space;
  images::ToolOptions tools;
  std::string first, second;  // variants, or paths of code files; second empty: the first
  // None (sm_90a; of PTX its own; of a code file the only one), one, or one a side.
  std::vector<std::string> targets;
  std::vector<std::string> toolchains;  // versions of ptxas: none, one, or one a side
  // Of files: none, one, or one for each side; two may be in one word (split_kernels).
  std::vector<std::string> kernels;
  std::string source;       // of files: inner, outer or a source file; "": inner
  bool full_names = false;  // of files: long names whole
  bool in_json = false;     // is printed as JSON, where names are whole in any case
  std::string build = "timed";
};

// "a,b" is two names; a comma in brackets belongs to one: "ns::copy<float, 3>,ns::fill(int*, int)".
std::vector<std::string> split_kernels(const std::vector<std::string>& words);

struct SassDiff {
  reading::CodeSubject left, right;
  compare::KernelDiff diff;
};
// Of two files of code, no kernel named and several in one of them, all kernels side by side.
Result<std::variant<SassDiff, foreign::LibraryDiff>> sass_diff(const DiffRequest& request);

}  // namespace phasebit::join::sass
