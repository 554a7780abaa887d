// Expected failures are values: what step failed, what happened, what the user can do.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <tl/expected.hpp>

namespace phasebit::base {

// The steps of the data flow in their order. A program's exit code is the step's number (see
// exit_code), so that a script can tell a bad spec from a missing GPU.
enum class Step {
  usage,        // the command line
  spec,         // a spec file: axis, value, constraint
  render,       // a template
  toolchain,    // ptxas or nvdisasm missing, too old, or unable to start
  assemble,     // ptxas refused the text, or a resource gate refused the kernel
  disassemble,  // nvdisasm or the ELF reader
  gate,         // the SASS is not the intended one
  bundle,       // a manifest or module that cannot be read or does not match
  device,       // no driver, no GPU, a GPU of another architecture, a GPU in use
  guard,        // the guarded build reported a hang
  launch,       // the timed build failed, hung, or killed its worker
  verify,       // wrong payload, count or phase
  store,        // the result store
  io            // files and processes in general
};

std::string_view to_string(Step step);

// 2 for usage (as CLI tools do), else 10 + the step's position. Never 0 or 1: 1 means the
// command ran and found what `--fail-on` asked about.
int exit_code(Step step);

struct Error {
  Step step;
  std::string message;  // what happened: file, line, key where there are any
  std::string hint;     // what the user can do; may be empty

  // "step: message (hint)"
  std::string text() const;
};

template <typename T>
using Result = tl::expected<T, Error>;
using Status = tl::expected<void, Error>;

template <typename... Args>
tl::unexpected<Error> fail(Step step, fmt::format_string<Args...> format, Args&&... args) {
  return tl::unexpected<Error>(Error{step, fmt::format(format, std::forward<Args>(args)...), {}});
}

// The same error with a hint.
inline tl::unexpected<Error> with_hint(tl::unexpected<Error> error, std::string hint) {
  error.value().hint = std::move(hint);
  return error;
}

// A bug: prints and aborts.
[[noreturn]] void bug(std::string_view what);

}  // namespace phasebit::base

// The words of every file (docs/decisions/namespaces.md).
namespace phasebit {
using base::bug;
using base::Error;
using base::fail;
using base::Result;
using base::Status;
using base::Step;
using base::with_hint;
}  // namespace phasebit

// Return the error of an expression of type Result<T> or Status.
#define PHASEBIT_TRY(expression)                                                    \
  do {                                                                              \
    if (auto phasebit_result = (expression); !phasebit_result)                      \
      return tl::unexpected<::phasebit::Error>(std::move(phasebit_result.error())); \
  } while (false)

// Declare `name` with the value of a Result<T>, or return its error.
#define PHASEBIT_TRY_ASSIGN(name, expression)                                                     \
  auto name##_result = (expression);                                                              \
  if (!name##_result) return tl::unexpected<::phasebit::Error>(std::move(name##_result.error())); \
  auto& name = *name##_result
