// Kernels with one fault each: what is in mutants.toml, and how it gets into a kernel.
#pragma once

#include "core/base/file.h"
#include "gen/ptxas/assembler.h"

#include <string>
#include <vector>

namespace phasebit::test {

struct Mutant {
  std::string name;     // "mbarrier/commit_dropped"
  std::string fault;    // dropped, doubled, parity, count, slot, bytes, exit
  std::string variant;  // id of the sound one
  std::string role, verb, find;
  std::string edit;  // drop, double, replace
  bool every = false;
  std::vector<std::string> lines;  // of `replace`
  // What one sentence of the guard's report must hold, all of it: role and verb, then warp or CTA,
  // then the barrier where that sentence is of the one that gave up first. And what the
  // verification must say. One of the two comes; an empty list says that this one cannot.
  std::vector<std::string> hangs, fails;
};

// Step::usage names the mutant that is not whole.
Result<std::vector<Mutant>> read_mutants(const fs::path& file);

// Puts the fault into the kernel's statements. Step::usage unless `find` is in exactly one
// statement of the verb in that role, or, with `every`, in at least one.
Status put_fault(const Mutant& mutant, ptxas::Kernel& kernel);

// "" when the error of the mutant's row ("guard: ...", or "" for none) is one that it must have,
// else what is missing.
std::string why_not_caught(const Mutant& mutant, const std::string& error);

}  // namespace phasebit::test
