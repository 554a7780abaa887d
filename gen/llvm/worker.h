// phasebit-llvm at work: one process that answers request after request.
#pragma once

#include "core/base/error.h"
#include "core/base/file.h"
#include "gen/llvm/options.h"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::llvm {

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

}  // namespace phasebit::llvm
