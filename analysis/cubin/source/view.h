// Which line of a chain of inlining stands for an instruction.
#pragma once

#include "analysis/cubin/source/frames.h"
#include "core/base/error.h"

#include <string>
#include <string_view>
#include <vector>

namespace phasebit::cubin::source {

struct SourceView {
  enum class Line {
    inner,  // the line itself, wherever it was inlined
    outer,  // the line of the function that was compiled: what the author of a kernel wrote
    file    // the innermost line that lies in `file`
  };
  Line line = Line::inner;
  std::string file = {};  // "k.cu", "src/k.cu" or a whole path; "": no file, so no line
  static SourceView none() { return {Line::file, {}}; }
};

// Of a word of the command line: "inner" (or nothing), "outer", else a file.
SourceView source_view(const std::string& word);

// Whether a path is the named file or ends with it: "/src/k.cu" is "k.cu" and "src/k.cu", not
// "c/k.cu".
bool is_source_file(std::string_view path, std::string_view name);

// By frame: the one that stands for it, -1 where its chain has none. Step::usage, with the nearest
// names, when no file of the table is the one asked for.
Result<std::vector<int>> pick_frames(const SourceTable& table, const SourceView& view);

}  // namespace phasebit::cubin::source
