// What is kept of barriers, and of words in memory that threads wait for.
#pragma once

#include "core/ptx/run/clocks.h"
#include "core/ptx/run/findings.h"
#include "core/ptx/run/instruction.h"
#include "core/ptx/run/memory.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace phasebit::ptx::run {

// Some lanes of a warp that wait, and where.
struct Waiters {
  int warp = 0;
  std::uint32_t lanes = 0;
};

struct Mbarrier {
  int cta = 0;
  std::uint32_t offset = 0;
  std::int32_t number = 0;             // among all
  Component component = no_component;  // its completed phases
  bool is_valid = true;
  Epoch init;
  Epoch init_fence;  // a fence.mbarrier_init after it
  std::uint32_t init_pc = 0;
  VectorClock used, looked;   // by its operations; by loads of its word
  std::uint32_t used_pc = 0;  // the last of them
  // In the current phase, in the last one, in that before: arrivals of other CTAs; bytes of copies,
  // which may come late whoever knows of their issue.
  bool has_remote = false, had_remote = false;
  bool has_bytes = false, had_bytes = false, previous_had_bytes = false;

  std::uint32_t expected = 0, pending = 0, drops = 0;
  std::int64_t bytes = 0;   // expected and not yet come
  std::uint32_t phase = 0;  // completed ones: the number of the current one

  Clocks current;        // what has been counted in the current phase
  VectorClock arrivals;  // the arrivals among it
  Clocks last;           // what the last phase tells those who wait for it
  VectorClock previous;  // the order of the phase before that
  struct Event {
    Epoch epoch;
    RunPlace at;
  };
  std::vector<Event> arrived;      // in the current phase, for reports
  std::vector<Event> needs_later;  // must come before an arrival of the same phase
  std::vector<Event> returned;     // waits for the last phase, which must end before the next does
  std::vector<Event> asked;  // tries that knew of all phases, and took the current one as open
  std::vector<Waiters> waiters;
  // Whether all completed phases have, for one who knows that.
  bool is_told(const VectorClock& order) const {
    return phase == 0 || order.of(component) >= phase ||
           (!had_bytes && order.covers(last.order, component));
  }
};

// A numbered barrier of a CTA.
struct CtaBarrier {
  Component component = no_component;
  std::uint32_t phase = 0;
  int arrived = 0, expected = 0;  // threads; 0 expected: all that are left
  Clocks current, last;
  RunPlace first;
  std::vector<Waiters> waiters;
};

// A word that threads wait for by loads.
struct Flag {
  using Told = std::array<std::shared_ptr<const Clocks>, 3>;
  struct Version {
    std::uint64_t value = 0;
    Epoch written;
    RunPlace at;
    // What it tells one that polls it, by the scope that holds both threads (place_of): no memory
    // where its own scope or that of its release does not.
    Told published;
    bool is_known = true;     // its value
    Base base = no_base;      // whose address it is
    std::uint64_t added = 0;  // to the value before, by a store that may come in any order; 0: none
    std::size_t known_by =
        0;                  // the first version that is stored after it in each schedule; 0: none
    std::size_t after = 0;  // so many of the first versions come before it in each schedule
    bool is_addition = false;  // of a scope that all threads are in
    bool is_chain = false;     // an atomic that tells what the version before it did, too
  };
  // The last store of a thread, and the last that is not an addition.
  struct Writer {
    std::uint32_t any = 0, other = 0;
    std::size_t after = 0;  // of its last version
    Told released;          // by its releases there, which its later stores there tell, too
  };
  std::vector<Version> versions;
  std::vector<std::size_t> latest;  // versions that none is known by
  std::map<Component, Writer> writers;
  std::map<Component, Told> heard;  // by relaxed polls, which its next acquire there sees
  // Of polls that several sums end: the version by which they must have ended.
  std::map<Component, std::size_t> counted;
  std::map<Component, Mbarrier::Event> polls;  // the last that has ended, of each thread
  std::map<Component, Mbarrier::Event> reads;  // the last load that no store may change
  bool is_contended = false;                   // stores to it come in no order
  int size = 0;                                // of what was polled or stored first
};

}  // namespace phasebit::ptx::run
