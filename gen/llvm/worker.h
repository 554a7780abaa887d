// phasebit-llvm at work: one process that answers request after request.
#pragma once

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/isa/version.h"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::llvm {

// How LLVM is asked to make PTX of IR.

// The LLVM that phasebit-llvm was built with: "22.1.8"; "" where this build has no such program.
std::string_view built_version();

// As LLVM counts them: 86 of PTX 8.6.
inline int ptx_number(const isa::Version& version) {
  return 10 * version.parts.at(0) + (version.parts.size() > 1 ? version.parts[1] : 0);
}

struct Options {
  std::string target;          // "sm_90a"
  int ptx = 0;                 // that it may use: a ptx_number
  int opt_level = 2;           // 0..3: of the optimiser and the backend
  bool short_pointers = true;  // addresses in shared memory have 32 bits
};

struct Lowered {
  std::string ptx;                      // with `.loc` where the IR has debug locations
  std::vector<std::string> inline_asm;  // "FUNCTION: TEXT", a line each place
};

// One object a thread. A process that LLVM ends is an error of the request at hand; the next
// request starts another.
class Worker {
 public:
  explicit Worker(fs::path program);
  Worker(Worker&&) noexcept;
  Worker& operator=(Worker&&) noexcept;
  ~Worker();

  // PTX of `ir`, text or bitcode, called `name` in messages. Step::render with LLVM's own words:
  // "mine.ll:3:12: use of undefined value '%x'"; where it dies, by which signal and what it said
  // last. Step::toolchain where the program cannot be started.
  Result<Lowered> lower(const std::string& name, std::string_view ir, const Options& options);

  // How long one request may take.
  static constexpr std::chrono::seconds limit{60};

 private:
  struct Process;
  fs::path program_;
  std::unique_ptr<Process> process_;
};

// Where phasebit-llvm is: a program of its own, because LLVM ends the process where its backend
// cannot go on.

// Next to the program that runs, or in the build folder that it is in. Step::toolchain, with what
// to install, where this build has no LLVM.
Result<fs::path> find_program();

// "22.1.8" of "22": built_version(), which alone can be named. Step::usage for another, or as
// find_program.
Result<std::string> version_named(const std::string& word);

}  // namespace phasebit::llvm
