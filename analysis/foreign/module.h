// Kernels of images as subjects, with regions by verb or by source line and their loops.
#pragma once

#include "analysis/cubin/source/lines.h"
#include "analysis/disassembly/disassembler.h"
#include "analysis/foreign/kernel.h"
#include "analysis/reading/subject.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace phasebit::foreign {

// Takes kernels[place], or why it cannot be read. Called once for each, from several threads.
using VisitSubject = std::function<void(std::size_t place, Result<reading::CodeSubject> subject)>;

struct ReadOptions {
  // Which line of a chain of inlining is the line of an instruction; the chain itself is in
  // `frames`.
  cubin::source::SourceView view = {};
  bool loops = true;
  unsigned threads = 0;  // 0: all cores
};

// Reads kernels with as few runs of nvdisasm as can be: equal code of one SM once, whichever image
// it is in. Step::disassemble for code that was made by a newer tool than nvdisasm, or of which
// what is printed is not the kernel; Step::usage when no image names the file of the view.
void visit_code_kernels(const disassembly::Disassembler& disassembler,
                        const std::vector<CodeKernel>& kernels, const ReadOptions& options,
                        const VisitSubject& visit);

// The same, in the order given; an error is that of the first that cannot be read.
Result<std::vector<reading::CodeSubject>> read_code_kernels(
    const disassembly::Disassembler& disassembler, const std::vector<CodeKernel>& kernels,
    const cubin::source::SourceView& view = {});

// Kernels with the functions that they call.

struct CalledKernel {
  // Places in ReadProgram::code: the kernel itself, then the functions in sections of their own
  // that it calls, directly or not, each once.
  std::vector<std::size_t> code;
  // Calls of what is not in the image, and by a register: "CALL.ABS.NOINC f".
  std::map<std::string, int> open_calls;
};

struct ReadProgram {
  // Those asked for, in their order, then what they call.
  std::vector<Result<reading::CodeSubject>> code;
  std::vector<CodeKernel> of;  // by place in `code`
  // One for each that was asked for; an error where it or what it calls cannot be read.
  std::vector<Result<CalledKernel>> kernels;
};

// Errors as visit_code_kernels.
ReadProgram read_with_callees(const disassembly::Disassembler& disassembler,
                              const std::vector<CodeKernel>& kernels,
                              const cubin::source::SourceView& view = {});

}  // namespace phasebit::foreign
