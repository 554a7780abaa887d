// The PTX that a cubin carries next to its code.
#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::reading {

// By instruction of a kernel, the PTX statement that it came from; line 0 and "" where the table
// does not cover it.
struct PtxLine {
  int line = 0;  // of the PTX text, from 1
  std::string text;
};

// `nvcc -lineinfo`, `ptxas -lineinfo` and Triton leave the PTX (`.nv_debug_ptx_txt`) and a line
// table from SASS to it (`.nv_debug_line_sass`). Step::disassemble, with what writes them, when the
// cubin has no PTX for that kernel.
Result<std::vector<PtxLine>> read_ptx_lines(std::string_view cubin, const std::string& entry);

// The lines of `.nv_debug_ptx_txt`, which end in a zero byte each: the first is line 1.
std::vector<std::string> split_ptx_text(std::string_view section);

}  // namespace phasebit::reading
