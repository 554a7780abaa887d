// The text of a module: many kernels for one call of ptxas, and the way back from its lines.
#pragma once

#include "core/base/error.h"
#include "gen/ptxas/assembler.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::ptxas {

struct ModuleLine {
  int kernel = -1;    // index into the kernels given, -1 for the header
  int statement = 0;  // 1-based; a `.loc` counts to the statement after it
};

struct ModuleText {
  std::string text;
  std::vector<ModuleLine> lines;  // line n of the text is lines[n - 1]
  ModuleLine at(int line) const;  // of the header when there is no such line
};

// All kernels have the same version, target and preamble. With line_info every executable statement
// n comes after `.loc 1 n 0`.
ModuleText module_text(const std::string& ptx_version, const std::string& ptx_target,
                       const std::vector<const Kernel*>& kernels, bool line_info);

// For each statement whether it is executable: not of the signature, and no directive, label or
// brace alone. Only these are given a `.loc`: ptxas takes `.loc` between any two lines of a body,
// but one before a label or directive would name a line that makes no instruction. What
// shares a line with others is one statement, whose `.loc` is that of all instructions in it.
std::vector<bool> executable_statements(const std::vector<std::string>& statements);

// content_hash of version, target and statements but for the kernel's name: kernels that have it in
// common are one code under several names (two points of the space may differ in the launch alone).
// Of a whole file its text and the name: the file says which of its entries it is about.
std::string nameless_hash(const Kernel& kernel);

// The code of each kernel of a cubin.

// The bytes of every section `.text.<entry>`, by entry; views into `cubin`. Step::assemble when it
// is not an ELF file.
Result<std::map<std::string, std::string_view>> code_sections(std::string_view cubin);

}  // namespace phasebit::ptxas
