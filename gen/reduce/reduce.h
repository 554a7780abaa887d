// Makes a kernel smaller while something about it stays true: delta debugging over its statements.
// docs/decisions/reduce.md says why it goes this way.
#pragma once

#include "gen/reduce/flat_kernel.h"

#include <compare>
#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace phasebit::reduce {

// For each candidate whether what is looked for is still there. A candidate that cannot be
// assembled is false. Asked with many at once, at most ReduceLimits::candidates.
using StillShows = std::function<std::vector<bool>(const std::vector<FlatKernel>& candidates)>;

struct ReduceLimits {
  std::function<bool()> out_of_time;  // asked before each call of StillShows; null: never
  std::size_t candidates = 256;       // of one call
};

struct ReducedKernel {
  FlatKernel kernel;       // for which StillShows said yes; the first where it never did
  bool finished = false;   // no single step makes it smaller; false: out of time
  std::size_t tried = 0;   // candidates
  std::size_t rounds = 0;  // calls of StillShows
};

// The same for the same answers: no randomness, no clock but out_of_time. `first` must show it.
ReducedKernel reduce(FlatKernel first, const StillShows& still_shows,
                     const ReduceLimits& limits = {});

// The single steps by which a kernel gets smaller.

// What is made smaller, first field first.
struct KernelSize {
  std::size_t statements = 0;  // of head and body, labels too
  std::size_t registers = 0;   // mentions of registers
  std::size_t operands = 0;
  friend auto operator<=>(const KernelSize&, const KernelSize&) = default;
};
KernelSize size_of(const FlatKernel& kernel);

struct Change {
  enum class What {
    remove,     // the lines `ids`
    unguard,    // the line ids[0]: drop its guard
    constant,   // the register `name` is `value` everywhere: what writes it goes
    copy,       // ids[0], a mov, goes: its source in the place of what it writes
    parameter,  // ids[0] becomes a load of a parameter
    number,     // ids[0] becomes a mov of `value`, a number or %tid.x
  };
  What what = What::remove;
  std::vector<int> ids = {};
  std::string name = {}, value = {};
};

// The kernel with the change, and without what then has no meaning: branches to labels that went,
// reads of registers that no line above writes without a guard (but for those of `unwritten`,
// which the first text already read so). A change that does not apply gives the kernel as it is.
FlatKernel apply(const FlatKernel& kernel, const Change& change,
                 const std::set<std::string>& unwritten);

// Registers that are read above what writes them, or where only guarded lines do.
std::set<std::string> unwritten_registers(const FlatKernel& kernel);

// Removals of `size` neighbours each, those at the end first, since what is computed last is
// needed least. The last `ret` stays.
std::vector<Change> removals(const FlatKernel& kernel, std::size_t size);

// Everything but removals, by statement from the end.
std::vector<Change> simplifications(const FlatKernel& kernel);

}  // namespace phasebit::reduce
