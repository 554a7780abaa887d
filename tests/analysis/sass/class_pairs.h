// Pairs of kernels of equal `.text`, and whether they are one class.
#pragma once

#include "analysis/compare/diff.h"
#include "analysis/cubin/cubin.h"
#include "analysis/disassembly/disassembler.h"
#include "tests/analysis/sass/class_images.h"

#include <string>
#include <vector>

namespace phasebit::test {

using Flags = std::vector<std::string>;

struct Pair {
  const char* what;
  std::string target, text, from, to;
  Flags flags;
  std::vector<std::string> differs;  // names of facts; none: one class
};

// The kernel "k" of a text, or "name_of_its_own".
Result<cubin::CubinKernel> kernel_of(const std::string& text, const std::string& target,
                                     const Flags& flags);

// A side of a difference as `sass diff` has it.
reading::CodeSubject side_of(const disassembly::Disassembler& disassembler,
                             const cubin::CubinKernel& kernel, int sm = 90);

// Class, differences besides the text, and what `sass diff` and the others say.
void expect_pair(const Pair& pair);

}  // namespace phasebit::test
