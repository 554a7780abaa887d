// The loop of one producer warp and one consumer warp with stores of their own, for a ring whose
// verbs are functions of its file.
#pragma once

#include "bench/peers/payload.cuh"

namespace phasebit::peers {

inline constexpr unsigned threads = 2 * lanes;
// Arrivals that one side owes a slot.
inline constexpr unsigned arrivals = by_warp ? 1 : lanes;

// Ring: acquire, commit, advance_produced; prime, wait, release, advance_consumed.
template <class Ring>
PEER_INLINE Window producer(Ring& ring, Slots slots, const Frame& frame) {
  std::uint32_t value = first_value(frame);
  Window window = clock_start(frame);
#pragma unroll 1
  for (std::uint32_t item = 0; item < frame.items; ++item) {
    acquire(ring);
    fill(slots[ring.stage()], frame, value);
    commit(ring);
    advance(ring);
    ++window.handled;
  }
  clock_end(frame, window);
  return window;
}

template <class Ring>
PEER_INLINE Window consumer(Ring& ring, Slots slots, const KernelParams& params,
                            const Frame& frame) {
  prime(ring);
  start_late(params, frame, 1);
  Window window = clock_start(frame);
#pragma unroll 1
  for (std::uint32_t item = 0; item < frame.items; ++item) {
    wait(ring);
    drain(slots[ring.stage()], frame.lane, window.checksum);
    release(ring);
    advance(ring);
    ++window.handled;
  }
  clock_end(frame, window);
  return window;
}

PEER_INLINE Role role_of(const Frame& frame) {
  return frame.warp == 0 ? Role::producer : Role::consumer;
}

// Both roles, each by its warp, and what they leave. Behind the barrier that follows the ring's
// initialisation.
template <class Ring>
PEER_INLINE void run(Ring& ring, const KernelParams& params, const Frame& frame) {
  const Role role = role_of(frame);
  const Slots slots = slots_of_cta();
  const Window window =
      role == Role::producer ? producer(ring, slots, frame) : consumer(ring, slots, params, frame);
  record(params, frame, window, role);
}

// Stage and lap of a role.
struct Cursor {
  unsigned at = 0;
  std::uint32_t parity = 0;
  PEER_INLINE void next() {
    if (++at < num_stages) return;
    at = 0;
    parity ^= 1;
  }
};

}  // namespace phasebit::peers
