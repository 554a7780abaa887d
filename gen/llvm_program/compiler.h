// From LLVM IR to PTX, by the LLVM that this program is linked with.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <llvm/IR/Module.h>

namespace phasebit::llvm_program {

struct Request {
  std::string name;            // of the IR, for messages: "mine.ll"
  std::string ir;              // text or bitcode
  std::string cpu;             // "sm_90a"
  int ptx = 0;                 // 86 is PTX 8.6
  int opt = 2;                 // 0..3
  bool short_pointers = true;  // 32-bit addresses in shared, const and local memory
};

struct Answer {
  std::string ptx;
  // "mine.ll:3:12: use of undefined value '%x'"; "" where there is PTX.
  std::string error;
  // Functions that are inline asm in part, and how often: "acquire: nanosleep.u32 20;".
  std::vector<std::string> inline_asm;
};

// Registers the target and the options that every request sets anew. Once, before the first.
void begin();

// May end the process: LLVM aborts on what its backend cannot select.
Answer compile(const Request& request);

std::string_view llvm_version();

// Where an instruction comes from, kept while the backend moves it.

// The backend's sinking gives what it moves a place between that of the instruction and that of
// its new neighbour. From now on each keeps its own: the gate counts it at its verb. Once, before
// the first module is lowered.
void keep_places_of_moved_code();

// What the templates say in IR, in the words that LLVM has for it.

// Each internal thread_local variable that one function uses becomes a local one of it, which LLVM
// then keeps in registers. NVPTX has no thread_local storage: what is left of it, the backend
// refuses.
void make_registers(llvm::Module& module);

// In a module of phasebit's templates each instruction gets, of the places that it was inlined
// from, the innermost that belongs to a verb (gen/kernel/lower.h).
void name_verbs(llvm::Module& module);

}  // namespace phasebit::llvm_program
