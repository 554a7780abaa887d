// Which part of a kernel a rule speaks of.
#pragma once

#include "analysis/gate/subject.h"
#include "core/base/error.h"

#include <string>
#include <vector>

namespace phasebit::gate {

struct Where {
  enum class Kind { hot_paths, kernel, role, verb, line, loop_with };
  Kind kind = Kind::hot_paths;
  std::string text;        // as it was written
  std::string role, verb;  // of `role` and `verb`
  std::string file;        // of `line`: the end of a path; "": whatever the only file is called
  int line = 0;
  std::string pattern;  // of `loop_with`
};

// "" the hot paths of all timed loops (the kernel where there is none), "kernel", a role or "timed
// loop" its hot path, "role.verb" that verb's part of it, "line 12" or "line gemm.cu:12", "loop
// with HGMMA*". Step::spec for a line that is no number, or a loop with nothing.
Result<Where> parse_where(const std::string& text);

struct FoundPart {
  GatePart part;
  std::string name = {};     // which of several, "" for the only one
  std::string problem = {};  // why there is no such code; "" when there is
};

// At least one; each loop of `loop_with` by itself. Step::gate when the word can mean several: a
// line without its file in code of several files, or a file's name that fits two.
Result<std::vector<FoundPart>> parts_of(const Where& where, const GateSubject& subject);

}  // namespace phasebit::gate
