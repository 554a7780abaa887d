// What host and device exchange: the plan of one launch and its report.
#pragma once

#include <cstdint>

namespace independent {

// A slope needs at least four chain lengths; they are n, 2n, 3n, 4n items.
inline constexpr int num_lengths = 4;
inline constexpr int max_samples = 32;
inline constexpr int max_cluster_size = 8;

// The two sizes of the unrolled body. All are even, so each body starts on parity 0.
inline constexpr int small_body = 4;
inline constexpr int large_body = 8;
// For items of some hundred instructions: the larger body still fits the smallest instruction
// cache.
inline constexpr int small_body_of_long_items = 2;
inline constexpr int large_body_of_long_items = 4;
// For items of a few cycles: ptxas hides some cycles of the loop between them, not the same number
// in both bodies. Spread over 48 items that is at most some tenths of a cycle.
inline constexpr int small_body_of_short_items = 16;
inline constexpr int large_body_of_short_items = 64;

// Barrier 0 is measured and 1, 2 carry the hand-off; the set-up must not share an id with them,
// else the SASS check could not tell the set-up from the window.
inline constexpr int empty_barrier_id = 1;
inline constexpr int full_barrier_id = 2;
inline constexpr int setup_barrier_id = 15;

#ifdef INDEPENDENT_GUARDED
inline constexpr bool guarded = true;
#else
inline constexpr bool guarded = false;
#endif

// Longest wait of the guarded build, in cycles (about 0.1 s): far over any wait of a right run.
inline constexpr uint64_t guard_limit_cycles = 200'000'000;

struct Report {
  uint32_t claimed;               // 0 until one block (or cluster) has taken the measurement
  uint32_t wrong;                 // bit mask of WrongBit
  uint64_t kernel_cycles;         // of thread 0, over all its windows
  uint64_t kernel_ns;             // the same span by %globaltimer
  uint32_t sm[max_cluster_size];  // by cluster rank
  uint64_t cycles[max_samples][num_lengths];
};

enum WrongBit : uint32_t {
  wrong_phase = 1,    // after a window a barrier is not in the phase it must be in
  wrong_count = 2,    // a flag does not hold the number of items
  wrong_witness = 4,  // guarded build: a wait returned before all had arrived
};

// Lives in pinned host memory: it must be readable after a trap has destroyed the context.
struct GuardStatus {
  uint32_t expired;
  uint32_t block;
  uint32_t warp;
  uint32_t lane;
  uint32_t barrier_address;
  uint32_t parity;
};

struct LaunchPlan {
  Report* report;
  GuardStatus* guard;
  uint32_t iterations[num_lengths];  // of the timed loop
  uint32_t num_samples;
  uint32_t seed;           // start offsets of the warps
  uint32_t zero;           // 0, but the compiler cannot know: it ties the loop to the clock
  uint32_t target_sm;      // CTA figures: the block on this SM measures
  uint32_t cluster_index;  // cluster figures: this cluster measures
  uint32_t peer;           // cluster hand-off: the rank that answers rank 0
};

}  // namespace independent
