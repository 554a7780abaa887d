// The loops of a kernel as a table, and a part of its code chosen by them.
#pragma once

#include "analysis/reading/loops.h"
#include "core/base/error.h"
#include "core/table/table.h"

#include <string>
#include <vector>

namespace phasebit::reading {

// Loops of one function; `function` is "" for the kernel itself.
struct FunctionLoops {
  std::string function;
  const CodeLoops* loops = nullptr;
};

// A row a loop, numbered from 1 over all functions: where it is, depth, what a turn costs at its
// own depth, key opcodes, the pipelines that its opcodes go to, and the first of its lines. `lines`
// is what these are: "source lines", "verbs". Step::spec when the table of pipelines cannot be
// read.
Result<table::Table> loop_table(const std::vector<FunctionLoops>& functions, int sm,
                                const std::string& lines);

// By instruction: whether it stands in a loop.
std::vector<bool> in_any_loop(const cubin::SassKernel& kernel, const CodeLoops& loops);

// By instruction: whether it stands in that loop, numbered from 1. Step::usage, with how many there
// are.
Result<std::vector<bool>> in_loop(const cubin::SassKernel& kernel, const CodeLoops& loops,
                                  int number);

// "k.cu:4-5, inc.h:2, ...": the first two of CodeLoop::lines.
std::string first_lines(const std::string& lines);

}  // namespace phasebit::reading
