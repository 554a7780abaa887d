// What a run found.
#pragma once

#include "core/ptx/run/launch.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace phasebit::ptx::run {

// The first are errors of the kernel. `unproved`: what happens depends on the schedule at a place
// where no rule says that it does not matter. `unsupported`: what is not modelled. `note`: what the
// manual leaves open and compilers do.
enum class Grade : std::uint8_t { error, unproved, unsupported, note };

enum class FindingKind : std::uint8_t {
  deadlock,       // all threads that are left wait
  race,           // two accesses without an order
  proxy,          // an order in the generic proxy alone
  overrun,        // a barrier may be in another phase than an arrival or a wait means
  counts,         // a phase may end early, late, or never
  uninitialised,  // no barrier there, or not yet
  overwritten,    // a barrier's word is written to
  left,           // a barrier of a CTA that has left
  named,          // a named barrier with two counts, or in two phases at once
  bounds,
  misaligned,
  range,         // an operand that the hardware does not take
  payload,       // what is left in memory is not what should be
  registers,     // setmaxnreg against what a thread has
  decision,      // an unsure value decides
  steps,         // too many
  remote_scope,  // an arrival at CTA scope on a barrier of another CTA
  early_exit     // a lane that a mask names has left
};
const char* to_string(FindingKind kind);

// A place of the run: an instruction, and a thread that was there.
struct RunPlace {
  std::uint32_t pc = 0;
  std::int32_t thread = -1;  // of the launch; -1: none
};

struct Finding {
  FindingKind kind = FindingKind::race;
  Grade grade = Grade::error;
  RunPlace at;
  std::string what;
  struct Related {
    RunPlace at;
    std::string what;
  };
  std::vector<Related> related;
};

class RunWatch;

struct RunOptions {
  std::uint64_t most_steps = 200'000'000;  // instructions of warps
  // 0: warps in their order, copies end at once. Else a schedule drawn from it.
  std::uint32_t seed = 0;
  bool elects_each = false;  // runs for each lane that elect.sync may choose, or for both ends
  int elected = 0;  // elect.sync: the last lane of the mask up to this one, or else its first
  bool is_strict = false;  // lanes are ordered by bar.warp.sync alone
  // Places (addresses) where several threads change memory by atomics.
  std::set<std::uint64_t> contended;
  // Instructions, tries and strong loads, whose answer another schedule may change.
  std::set<std::uint32_t> unsettled;
  RunWatch* watch = nullptr;  // is told what is executed
};

struct RunOutcome {
  std::vector<Finding> findings;
  std::uint64_t instructions = 0;     // of warps
  std::set<std::uint64_t> contended;  // those that were not known to be
  std::set<std::uint32_t> unsettled;  // the same
  bool ended = false;                 // every thread left
  std::uint32_t electable = 0;        // lanes that elect.sync could have chosen
  bool has_unfollowed = false;        // opaque values, which memory does not hold
  // A sum over all arrivals, returned waits and landed copies with their phases: two schedules with
  // the same events have the same.
  std::uint64_t events = 0;
  RunMemory memory;
  // Words of it that hold what the schedule decides (clocks and sums of atomics apart), and where
  // that comes from.
  struct UnsureWord {
    std::size_t buffer = 0, word = 0;
    RunPlace from;
    std::string why;
  };
  std::vector<UnsureWord> unsure;
};

}  // namespace phasebit::ptx::run
