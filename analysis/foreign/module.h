// Kernels of a code file as instructions, with regions by source line and their loops.
#pragma once

#include "analysis/compare/summary.h"
#include "analysis/cubin/source/lines.h"
#include "analysis/disassembly/disassembler.h"
#include "analysis/flow/features.h"
#include "analysis/foreign/kernel.h"
#include "analysis/reading/loops.h"

#include <map>
#include <string>
#include <vector>

namespace phasebit::foreign {

using compare::LineSummary;

struct ReadKernel {
  std::string name;          // "app: 2: k.sm_90a.cubin: void ns::copy(int*)"
  std::string target;        // "sm_90a"
  cubin::SassKernel kernel;  // `line` of an instruction is its place in `source`
  image::SourceMap
      source;  // one element for each source line: its file, line, and "k.cu:12" as verb
  std::vector<int> frames;  // of the image's SourceTable, by instruction; empty without a table
  reading::CodeLoops loops;
  // Of an instruction; -1: none.
  int frame_of(std::size_t instruction) const {
    return instruction < frames.size() ? frames[instruction] : -1;
  }
};

// Reads kernels of one file, in the order given, with one run of nvdisasm for each SM. `view` says
// which line of a chain of inlining is the line of an instruction; the chain itself is in `frames`.
// Step::disassemble when nvdisasm is of an older release than the tool that made an image, or when
// what is printed is not the kernel; Step::usage when no image names the file of the view.
Result<std::vector<ReadKernel>> read_code_kernels(const disassembly::Disassembler& disassembler,
                                                  const std::vector<CodeKernel>& kernels,
                                                  const cubin::source::SourceView& view = {});

// The same, with an error in the place of a kernel that cannot be read.
std::vector<Result<ReadKernel>> read_each_code_kernel(const disassembly::Disassembler& disassembler,
                                                      const std::vector<CodeKernel>& kernels,
                                                      const cubin::source::SourceView& view = {});

// By file and line; the instructions without a line come last.
std::vector<LineSummary> summarise_lines(const ReadKernel& kernel);

// Kernels of a code file with the functions that they call.

struct CalledKernel {
  // Places in ReadProgram::code: the kernel itself, then the functions in sections of their own
  // that it calls, directly or not, each once.
  std::vector<std::size_t> code;
  // Calls of what is not in the image, and by a register: "CALL.ABS.NOINC f".
  std::map<std::string, int> open_calls;
};

struct ReadProgram {
  std::vector<ReadKernel> code;       // those asked for, in their order, then what they call
  std::vector<CodeKernel> of;         // by place in `code`
  std::vector<CalledKernel> kernels;  // one for each that was asked for
};

// Errors as read_code_kernels.
Result<ReadProgram> read_with_callees(const disassembly::Disassembler& disassembler,
                                      const std::vector<CodeKernel>& kernels,
                                      const cubin::source::SourceView& view = {});

}  // namespace phasebit::foreign
