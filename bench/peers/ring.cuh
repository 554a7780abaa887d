// The loops of a ring between warps that produce and warps that consume, for a ring whose verbs are
// functions of its file: rolled or unrolled over the stages, with and without a look ahead.
#ifndef PEER_HEADER_RING
#define PEER_HEADER_RING

#include "bench/peers/payload.cuh"

namespace phasebit::PEER_SPACE {

inline constexpr unsigned threads = (producers + consumers) * lanes;
// Arrivals that a side owes a slot.
inline constexpr unsigned full_arrivals = by_warp ? writers / lanes : writers;
inline constexpr unsigned empty_arrivals = by_warp ? readers / lanes : readers;

// Where a warp stands, of `step` that take turns: its first stage, which of its stages, the lap's
// parity. In an unrolled loop the compiler knows which.
template <unsigned step>
struct Cursor {
  static constexpr unsigned stages = num_stages / step;
  static constexpr unsigned items = unrolled ? num_stages : step;  // of a turn of the loop
  unsigned first, turn = 0;
  std::uint32_t parity = 0;
  PEER_INLINE unsigned stage() const { return first + turn * step; }
  PEER_INLINE void stand(unsigned at) {
    if constexpr (unrolled) turn = at;
  }
  PEER_INLINE void next() {
    if (++turn < stages) return;
    turn = 0;
    parity ^= 1;
  }
  PEER_INLINE Cursor further() const {
    Cursor there = *this;
#pragma unroll
    for (unsigned item = 0; item < ahead; ++item) there.next();
    return there;
  }
};
template <unsigned step>
inline constexpr unsigned slots_a_turn = unrolled ? Cursor<step>::stages : 1;

template <unsigned step>
PEER_INLINE void advance(Cursor<step>& at) {
  at.next();
}

// What was asked ahead: whether the slot of the item, of the next and so on is ready.
struct Asked {
  bool ready[ahead + 1] = {};
  PEER_INLINE bool now() const { return asks && ready[0]; }
  PEER_INLINE void add(bool last) {
#pragma unroll
    for (unsigned at = 0; at + 1 < ahead; ++at) ready[at] = ready[at + 1];
    ready[ahead > 0 ? ahead - 1 : 0] = last;
  }
};

// Verbs that few rings have.
template <class Ring>
PEER_INLINE void prime(Ring&) {}
template <class Ring>
PEER_INLINE void tail(Ring&, const Cursor<producer_turns>&) {}
template <class Ring>
PEER_INLINE bool try_acquire(Ring&, const Cursor<producer_turns>&, bool) {
  return false;
}
template <class Ring>
PEER_INLINE bool try_wait(Ring&, const Cursor<consumer_turns>&, bool) {
  return false;
}

// Ring: fill, and acquire and wait, which are told what was asked ahead, commit and release.
template <class Ring>
PEER_INLINE Window producer(Ring& ring, Slots slots, const Frame& frame) {
  using At = Cursor<producer_turns>;
  At at{turns ? frame.warp : 0};
  Asked asked;
  Window window = clock_start(frame);
#pragma unroll 1
  for (std::uint32_t items = at.first; items < frame.items; items += At::items) {
#pragma unroll
    for (unsigned slot = 0; slot < slots_a_turn<producer_turns>; ++slot) {
      at.stand(slot);
      const std::uint32_t item = items + slot * producer_turns;
      if constexpr (asks && ahead == 0) asked.add(try_acquire(ring, at, false));
      acquire(ring, at, asked.now());
      if constexpr (ahead > 0)
        asked.add(try_acquire(ring, at.further(), item + ahead * producer_turns >= frame.items));
      fill(ring, slots[at.stage()]);
      commit(ring, at);
      advance(at);
      ++window.handled;
    }
  }
  tail(ring, at);
  clock_end(frame, window);
  return window;
}

template <class Ring>
PEER_INLINE Window consumer(Ring& ring, Slots slots, const KernelParams& params,
                            const Frame& frame) {
  using At = Cursor<consumer_turns>;
  At at{turns ? frame.warp - producers : 0};
  const unsigned reader = turns ? frame.lane : frame.tid - producers * lanes;
  Asked asked;
  prime(ring);
  start_late(params, frame, 1);
  Window window = clock_start(frame);
#pragma unroll 1
  for (std::uint32_t items = at.first; items < frame.items; items += At::items) {
#pragma unroll
    for (unsigned slot = 0; slot < slots_a_turn<consumer_turns>; ++slot) {
      at.stand(slot);
      const std::uint32_t item = items + slot * consumer_turns;
      if constexpr (asks && ahead == 0) asked.add(try_wait(ring, at, false));
      wait(ring, at, asked.now());
      if constexpr (ahead > 0)
        asked.add(try_wait(ring, at.further(), item + ahead * consumer_turns >= frame.items));
      drain(slots[at.stage()], reader, window.checksum);
      release(ring, at);
      advance(at);
      ++window.handled;
    }
  }
  clock_end(frame, window);
  return window;
}

PEER_INLINE Role role_of(const Frame& frame) {
  return frame.warp < producers ? Role::producer : Role::consumer;
}

// The number of the producer's first image, of those that take turns.
PEER_INLINE unsigned first_image(const Frame& frame) {
  return turns ? frame.warp : 0;
}

// Both roles, each by its warps, and what they leave. Behind the barrier that follows the ring's
// initialisation.
template <class Ring>
PEER_INLINE void run(Ring& ring, const KernelParams& params, const Frame& frame) {
  const Role role = role_of(frame);
  const Slots slots = slots_of_cta();
  const Window window =
      role == Role::producer ? producer(ring, slots, frame) : consumer(ring, slots, params, frame);
  record(params, frame, window, role);
}

}  // namespace phasebit::PEER_SPACE

#endif
