// The guarded build of any PTX: the same text, in which no wait lasts forever and a thread that
// gives one up says where. docs/decisions/guard.md says what is a wait and how it is bounded.
#pragma once

#include "core/base/error.h"
#include "core/launch/guard_sites.h"
#include "core/ptx/file.h"
#include "core/ptx/head/head.h"
#include "gen/guard/registers.h"
#include "gen/ptxas/assembler.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace phasebit::guard {

struct GuardOptions {
  // Where pb_guard is not set (a user's own program): without progress for so long, print and
  // trap.
  std::uint64_t limit_ns = 1'000'000'000;
  // Of the text's kernels that have no head: which register holds the item, in reports.
  std::vector<ptx::head::HeadRegisters> registers = {};
  std::map<std::string, GuardLaunch> launches = {};  // by entry
  bool print = true;  // false: trap alone; then functions after the text do not depend on it
};

struct GuardedPtx {
  ptx::PtxFile file;
  std::vector<launch::WaitSite> sites;
  // For each statement of `file` the one of the text given that it is or is next to; -1 for the
  // functions that were added. For each site its statement in the text given.
  std::vector<int> origins;
  std::vector<std::size_t> site_statements;
  std::vector<std::string> notes;  // what could not be understood, and so is not bounded
};

// Step::usage: the text is guarded already, or for a target or a PTX version that lacks what the
// guard needs (sm_70, PTX 6.3, 64-bit addresses). Nothing that is added needs more than the text.
Result<GuardedPtx> guard(const ptx::PtxFile& file, const GuardOptions& options = {});

// The guarded build of a rendered kernel.

struct GuardedKernel {
  // Build::guarded, with the preamble that it needs. What was added has the source of the statement
  // that it is next to.
  ptxas::Kernel kernel;
  std::vector<launch::WaitSite> sites;  // by template file and line, verb and role
};

// What the guarded kernel must be launched with: ptxas gives it no more registers than that leaves.
struct GuardBounds {
  int threads = 0;      // of a CTA at most; 0: any number
  int ctas_per_sm = 1;  // that must fit on an SM together
};

// `entry` names the result; `registers` are those of the kernel's head, for reports. Its preamble
// depends on .version and .target alone, so that many such kernels go into one module.
// Step::assemble where the text cannot be read; see guard().
Result<GuardedKernel> guard_kernel(const ptxas::Kernel& timed, const std::string& entry,
                                   const GuardBounds& bounds = {},
                                   const std::vector<ptx::head::HeadRegisters>& registers = {});

}  // namespace phasebit::guard
