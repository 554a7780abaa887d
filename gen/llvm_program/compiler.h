// From LLVM IR to PTX, by the LLVM that this program is linked with.
#pragma once

#include <string>
#include <string_view>
#include <vector>

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

}  // namespace phasebit::llvm_program
