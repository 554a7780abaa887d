// Where code comes from: a line, and the lines that it was inlined into.
#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace phasebit::cubin::source {

// A line of a source, and what its code was inlined into, up to the function that was compiled.
struct SourceFrame {
  int file = -1;      // of SourceTable::files; -1: not named
  int line = 0;       // from 1
  int function = -1;  // of SourceTable::functions: the inlined function that holds the line; -1 of
                      // the outermost line, whose function is that of the code
  int caller = -1;  // of SourceTable::frames: where that function was inlined; -1 of the outermost

  bool operator==(const SourceFrame&) const = default;
};

// Everything that a cubin says of its sources.
struct SourceTable {
  std::vector<std::string> files;      // each once
  std::vector<std::string> functions;  // symbols of inlined functions, each once
  std::vector<SourceFrame> frames;     // each once; a caller comes before what it inlines

  // "/src/k.cu"; "" of a frame that names none.
  const std::string& file_of(int frame) const;
  // The symbol of the inlined function; "" of an outermost line.
  const std::string& function_of(int frame) const;
  // Indices of frames, the innermost first; empty of -1.
  std::vector<int> chain(int frame) const;
};

// Fills a SourceTable: each file, function and frame once.

class SourceNumbers {
 public:
  // `table` is empty, and is written by no other object meanwhile.
  explicit SourceNumbers(SourceTable& table) : table_(table) {}

  // -1 of null and of an empty name. A pointer stands for one text as long as this lives.
  int file(const char* name) { return files_.of(name, table_.files); }
  int function(const char* name) { return functions_.of(name, table_.functions); }
  int frame(const SourceFrame& frame);

 private:
  // Units name most files again and again, and libdw keeps one text a file of a unit.
  struct Names {
    std::unordered_map<const char*, int> by_pointer;
    std::unordered_map<std::string, int> by_name;
    int of(const char* name, std::vector<std::string>& all);
  };
  struct FrameHash {
    std::size_t operator()(const SourceFrame& frame) const;
  };

  SourceTable& table_;
  Names files_, functions_;
  std::unordered_map<SourceFrame, int, FrameHash> frames_;
};

// Which line of a chain of inlining stands for an instruction.

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

// By frame: the one that stands for it, -1 where its chain has no such line. Step::usage, with the
// nearest names, when no file of the table is the one asked for.
Result<std::vector<int>> pick_frames(const SourceTable& table, const SourceView& view);

}  // namespace phasebit::cubin::source
