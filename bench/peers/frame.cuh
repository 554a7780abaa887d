// What stands around every peer's loop, as around every ring of ours: the parameter block, the SM
// that is claimed, the clock pairs, the record (templates/README.md, "The parameter block").
//
// Functions named as a role (producer, consumer, both) and, in them, as a verb (acquire, fill,
// commit, ...) are how the gate knows whose each instruction is: nvcc -lineinfo writes down what it
// inlined.
//
// tools/peering compiles many kernels in one file, each in a namespace of its own: these headers and
// the sources are included once for each.
#ifndef PEER_HEADER_FRAME
#define PEER_HEADER_FRAME

#include "core/launch/abi.h"
#include "core/launch/launch.h"

#include <cstdint>

#define PEER_INLINE __device__ __forceinline__

#ifndef PEER_SPACE
#define PEER_SPACE peers
#endif
// Axes that few peers have.
#ifndef PEER_ARRIVAL_BY_WARP
#define PEER_ARRIVAL_BY_WARP 0
#endif
#ifndef PEER_PRODUCERS
#define PEER_PRODUCERS 1
#endif
#ifndef PEER_CONSUMERS
#define PEER_CONSUMERS 1
#endif
#ifndef PEER_TURNS
#define PEER_TURNS 0
#endif
#ifndef PEER_UNROLLED
#define PEER_UNROLLED 0
#endif
#ifndef PEER_ASKS
#define PEER_ASKS 0
#endif
#ifndef PEER_AHEAD
#define PEER_AHEAD 0
#endif

namespace phasebit::PEER_SPACE {

using launch::KernelParams;
using launch::Role;

inline constexpr unsigned lanes = 32;
inline constexpr unsigned num_stages = PEER_STAGES;
// Warps of a role. They share every slot, or take the items in turn.
inline constexpr unsigned producers = PEER_PRODUCERS, consumers = PEER_CONSUMERS;
inline constexpr bool turns = PEER_TURNS;
inline constexpr unsigned producer_turns = turns ? producers : 1;
inline constexpr unsigned consumer_turns = turns ? consumers : 1;
// Who arrives: one lane for its warp, or every thread.
inline constexpr bool by_warp = PEER_ARRIVAL_BY_WARP;
// Whether the loop is unrolled over the stages, whether each role asks before it waits, and how many
// items ahead: 0 asks for the item that it then waits for.
inline constexpr bool unrolled = PEER_UNROLLED, asks = PEER_ASKS;
inline constexpr unsigned ahead = PEER_AHEAD;

struct Frame {
  std::uint32_t items, zero, seed;
  // Of this thread among those that have a role; threads that leave at once are not counted.
  std::uint32_t tid, lane, warp, cta;
};

// What a role leaves: its clock pair and what it handled.
struct Window {
  std::uint64_t clock_start = 0, clock_end = 0, timer_start = 0, timer_end = 0;
  std::uint32_t handled = 0, checksum = 0;
};

PEER_INLINE void leave() {
  asm volatile("exit;" ::: "memory");
}

// False: this thread has no role. Warps below first_warp and a gap only shift the others over the
// sub-partitions.
PEER_INLINE bool number_threads(const KernelParams& params, Frame& frame) {
  const std::uint32_t first = lanes * params.first_warp;
  if (threadIdx.x < first) return false;
  frame.tid = threadIdx.x - first;
  const std::uint32_t after = lanes * params.gap_after, gap = lanes * params.gap_warps;
  if (frame.tid >= after && frame.tid < after + gap) return false;
  if (frame.tid >= after) frame.tid -= gap;
  return true;
}

// False: this CTA is on another SM than the one that is measured, or not the first there.
PEER_INLINE bool claim(const KernelParams& params, Frame& frame) {
  __shared__ std::uint32_t ticket;
  if (frame.tid == 0) {
    std::uint32_t here;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(here));
    ticket = here == params.target_sm
                 ? atomicAdd(reinterpret_cast<std::uint32_t*>(params.ticket), 1U)
                 : ~0U;
  }
  __syncthreads();
  frame.cta = ticket;
  return frame.cta == 0;
}

// Before anything else. False: the thread leaves.
PEER_INLINE bool begin(const KernelParams& params, Frame& frame) {
  if (!number_threads(params, frame)) return false;
  frame.items = params.items;
  frame.zero = params.zero;
  frame.seed = params.seed;
  frame.lane = frame.tid % lanes;
  // As CUTLASS's canonical_warp_idx_sync: the compiler knows that no warp parts on its role.
  frame.warp = __shfl_sync(~0U, frame.tid / lanes, 0);
  return claim(params, frame);
}

// Later than the others by a spin: the consumers, or of warps that do both each one more than the
// one before. `one` is 1, which the compiler cannot know.
PEER_INLINE void start_late(const KernelParams& params, const Frame& frame, std::uint32_t warps) {
  const std::int32_t one = static_cast<std::int32_t>(frame.zero) + 1;
  std::int32_t turns = static_cast<std::int32_t>(params.start_offset * warps);
#pragma unroll 1
  do turns -= one;
  while (turns >= 0);
  if (turns < -1) leave();
}

// The branch on the clock (never taken: zero is 0) ties the first timed operation to the read.
PEER_INLINE Window clock_start(const Frame& frame) {
  Window window;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(window.timer_start)::"memory");
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(window.clock_start)::"memory");
  if ((static_cast<std::uint32_t>(window.clock_start) & frame.zero) != 0) leave();
  return window;
}

// Tied to the checksum's last word.
PEER_INLINE void clock_end(const Frame& frame, Window& window) {
  if ((window.checksum & frame.zero) != 0) leave();
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(window.clock_end)::"memory");
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(window.timer_end)::"memory");
}

// Behind the roles: each warp's first lane writes its record, each thread its checksum.
PEER_INLINE void record(const KernelParams& params, const Frame& frame, const Window& window,
                        Role role) {
  __syncwarp();
  __syncthreads();
  reinterpret_cast<std::uint32_t*>(params.payload_out)[frame.tid] = window.checksum;
  if (frame.lane != 0) return;
  launch::SampleRecord made;
  made.clock_start = window.clock_start;
  made.clock_end = window.clock_end;
  made.timer_start = window.timer_start;
  made.timer_end = window.timer_end;
  made.items = window.handled;
  made.role = static_cast<std::uint32_t>(role);
  asm volatile("mov.u32 %0, %%warpid;" : "=r"(made.hardware_warp));
  asm volatile("mov.u32 %0, %%smid;" : "=r"(made.sm));
  reinterpret_cast<launch::SampleRecord*>(params.samples)[2 * frame.warp] = made;
}

}  // namespace phasebit::PEER_SPACE

#endif
