// What an LLVM made of a verb, a function of PTX, as other texts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace phasebit::pipeline::lower {

// Its statements, a line each and without comments; an inline asm of several is taken apart.
std::vector<std::string> statements_of(const std::string& ptx);

// What the verb became: its instructions without what only brings its arguments.
std::string instructions_of(const std::string& ptx);

// The function as a kernel of `target`, which ptxas assembles alone: what old LLVMs wrote for old
// targets too. What it returns is stored to local memory.
std::string as_kernel(const std::string& ptx, const std::string& target);

// The function's body as a user's text for a verb of the templates (templates/README.md).
// `arguments` say what its parameters are, in their order: "full_barrier", "empty_barrier",
// "parity". `heading` are its first lines: comments with what its SASS must be.
std::string as_snippet(const std::string& ptx, const std::vector<std::string>& arguments,
                       const std::string& heading);

}  // namespace phasebit::pipeline::lower
