// Where code comes from: a line, and the lines that it was inlined into.
#pragma once

#include <string>
#include <vector>

namespace phasebit::cubin::source {

// A line of a source, and whom its code was inlined into, up to the function that was compiled.
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
  std::vector<SourceFrame> frames;     // each once; a caller stands before what it inlines

  // "/src/k.cu"; "" of a frame that names none.
  const std::string& file_of(int frame) const;
  // The symbol of the inlined function; "" of an outermost line.
  const std::string& function_of(int frame) const;
  // Indices of frames, the innermost first; empty of -1.
  std::vector<int> chain(int frame) const;
};

}  // namespace phasebit::cubin::source
