// One SASS instruction and the kernel that holds it.
#pragma once

#include "analysis/cubin/code_class.h"
#include "analysis/cubin/kernel_info.h"
#include "analysis/cubin/sass_word.h"

#include <algorithm>
#include <string>
#include <vector>

namespace phasebit::cubin {

// How many registers of each kind are live at one place.

// At an instruction: those it reads, those it writes, and those that keep a value across it. The
// stack pointer R1 is one of them.
struct LiveCounts {
  int registers = 0;           // R, a thread
  int predicates = 0;          // P
  int uniform_registers = 0;   // UR, a warp
  int uniform_predicates = 0;  // UP

  bool operator==(const LiveCounts&) const = default;
};

// The larger of each kind.
inline LiveCounts peak(const LiveCounts& a, const LiveCounts& b) {
  return {std::max(a.registers, b.registers), std::max(a.predicates, b.predicates),
          std::max(a.uniform_registers, b.uniform_registers),
          std::max(a.uniform_predicates, b.uniform_predicates)};
}

inline constexpr std::uint32_t instruction_bytes = 16;

struct Instruction {
  std::uint32_t address = 0;  // from the start of the kernel
  std::string predicate;      // "@!P0", or ""
  std::string opcode;         // with its modifiers: "SYNCS.ARRIVE.TRANS64.A1T0"
  std::string operands;       // "P0,[R9+URZ],R2"
  SassWord word;
  Control control;
  int line = 0;  // of `.loc`, which is the statement's number; 0 when there is none
  // The operands as the code has them, where names of functions and of what relocations lead to
  // are in `operands`; else empty. Names are for people: what is compared is this, and the class
  // says where relocations lead.
  std::string unnamed = {};
  const std::string& code_operands() const { return unnamed.empty() ? operands : unnamed; }
};

// A function inside the code of a kernel.
struct FunctionCode {
  std::string name;
  std::size_t begin = 0, end = 0;  // instructions
};

struct SassKernel {
  std::string entry;
  std::string text_hash;  // content_hash of the bytes of .text.<entry>
  std::vector<Instruction> instructions;
  int registers = 0;                          // a thread; 0 when the cubin does not say
  std::uint64_t static_shared_bytes = 0;      // with the 1 KiB that sm_90 and later reserve
  int barriers = 0;                           // named barriers, from 0 to the highest in use
  std::vector<LiveCounts> live = {};          // by instruction; empty: not asked for
  CodeClass code = {};                        // what it does
  std::vector<FunctionCode> functions = {};   // in the order of the code
  std::vector<IndirectBranch> indirect = {};  // where its BRX and BRXU may go
};

}  // namespace phasebit::cubin
