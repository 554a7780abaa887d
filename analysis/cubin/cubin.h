// A cubin: the machine code and the line table of each kernel.
#pragma once

#include "analysis/cubin/code_class.h"
#include "analysis/cubin/elf_file.h"
#include "analysis/cubin/kernel_info.h"
#include "analysis/cubin/sass_word.h"
#include "analysis/cubin/source/lines.h"
#include "core/base/error.h"

#include <string>
#include <string_view>
#include <vector>

namespace phasebit::cubin {

// A function inside the code of a kernel, which calls it: "$__internal_0_$__cuda_sm3x_div_...".
struct CubinFunction {
  std::string name;
  std::uint64_t offset = 0;  // bytes from the start of the kernel
};

// An operand that the loader or linker fills in.
struct RelocatedOperand {
  std::size_t instruction = 0;
  std::uint64_t type = 0;  // R_CUDA_...
  std::string name;
  std::int64_t addend = 0;
  // Of constant memory that the symbol lies in; -1 where it lies elsewhere or in another file.
  int bank = -1;
};

struct CubinKernel {
  std::string entry;       // "k" of section .text.k
  std::size_t symbol = 0;  // of that section, which nvdisasm takes as a function index
  std::string text;        // the section's bytes, a multiple of 16
  std::vector<int>
      lines;          // innermost `.loc` line of each instruction, 0 = none; empty without a table
  int registers = 0;  // a thread; 0 when the file does not say
  std::uint64_t static_shared_bytes = 0;    // with the 1 KiB that sm_90 and later reserve
  std::vector<int> frames;                  // with lines: of Cubin::source, -1 = none
  std::vector<CubinFunction> functions;     // ascending by offset
  int barriers = 0;                         // named barriers, from 0 to the highest in use
  std::vector<RelocatedOperand> relocated;  // ascending by instruction
  CodeClass code;                           // what it does
  std::vector<IndirectBranch> indirect;     // where its BRX and BRXU may go
  bool is_entry = false;                    // may be launched; else a device function of its own
  std::size_t size() const { return text.size() / 16; }
  SassWord word(std::size_t index) const;
};

struct Cubin {
  int sm = 0;                        // 90; of e_flags
  std::vector<CubinKernel> kernels;  // in the order of the file
  std::string tool, tool_version;    // "ptxas", "13.5.37" or "12.4"; "" when the file does not say
  std::string target;                // "sm_90a"; "sm_90" also where the file does not say which
  source::SourceTable source;        // of the line table
  const CubinKernel* find(std::string_view entry) const;
};

// `name` stands for the module in messages. Step::disassemble when it is not a cubin, is cut short,
// or holds no code; that it holds none is an empty list of kernels for read_cubin_or_stub: a linked
// program has modules without code.
Result<Cubin> read_cubin(std::string_view bytes, std::string_view name = "cubin");
Result<Cubin> read_cubin_or_stub(std::string_view bytes, std::string_view name = "cubin");

// As read_cubin_or_stub, with an empty `code` in every kernel: the classes are most of the time
// that reading takes, and a list of a file of thousands of functions needs none.
Result<Cubin> read_cubin_outline(std::string_view bytes, std::string_view name = "cubin");

// Which tool made a cubin.

struct CubinMaker {
  std::string tool;     // "ptxas", "nvlink"; "" when the file does not say
  std::string version;  // "13.5.37", or "12.4" of a cubin before 13.0; "" when it does not say
  std::string target;   // "sm_90a"; "" when the file does not say
};

// From CUDA 13 on (and for sm_100 from 12.8 on) a note, .note.nv.tkinfo, names the tool, its
// version and its options; of several the newest counts. Before, the ELF header's e_version is ten
// times the release, and a flag says that the target is one with an "a". `sm` is 90.
CubinMaker read_maker(const ElfFile& file, int sm);

}  // namespace phasebit::cubin
