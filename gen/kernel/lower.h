// From a variant's IR to its PTX, by LLVM.
#pragma once

#include "gen/kernel/render.h"
#include "gen/llvm/worker.h"

#include <string>

namespace phasebit::kernel {

// `ir` is of Renderer::render_ir(). Each statement of the PTX has the source of the statement of IR
// that it came from, by the `.loc` lines that LLVM wrote; those are taken off, headings say the
// same (gen/kernel/kernel_file.h). Version and target are those of `options`. Step::render with the
// template and line of what LLVM does not take, in its own words.
Result<Rendered> lower(llvm::Worker& worker, const Rendered& ir, const llvm::Options& options);

// Rendered IR as a module that LLVM reads.

// The statements of Renderer::render_ir(), statement n on line n of the module, and after them
// what they lack:
// - a debug location for every instruction: the line that location_of() says, and column
//   verb_column where it belongs to a verb, else 1. phasebit-llvm gives an inlined instruction the
//   innermost location of a verb. Of an instruction that LLVM moves to another it keeps the lower
//   line: so what is further down, verbs after what they use, has lower ones.
// - a function that does nothing for each verb that is called and that no component lists.
std::string module_text(const Rendered& ir);

inline constexpr int verb_column = 2;

// The location's line of statement n of `statements`, both counted from 1; and back.
constexpr size_t location_of(size_t statement, size_t statements) {
  return statements + 1 - statement;
}

}  // namespace phasebit::kernel
