// The loop of a pipeline whose threads produce and consume: fetches run ahead of what is computed
// on, as in the guides of cuda::pipeline and of the primitives. One warp does both.
#ifndef PEER_HEADER_ONE_WARP
#define PEER_HEADER_ONE_WARP

#include "bench/peers/payload.cuh"

namespace phasebit::PEER_SPACE {

PEER_INLINE void advance(unsigned& stage) {
  stage = stage + 1 == num_stages ? 0 : stage + 1;
}

// Ring: acquire(), fill(slot), commit(), wait(), release(), found by their arguments.
template <class Ring>
PEER_INLINE Window both(Ring& ring, Slots slots, const KernelParams& params, const Frame& frame) {
  unsigned filled = 0, read = 0;
  start_late(params, frame, frame.warp);
  Window window = clock_start(frame);
  std::uint32_t fetched = 0;
#pragma unroll 1
  for (std::uint32_t item = 0; item < frame.items; ++item) {
#pragma unroll 1
    for (; fetched < frame.items && fetched < item + num_stages; ++fetched) {
      acquire(ring);
      fill(ring, slots[filled]);
      commit(ring);
      advance(filled);
    }
    wait(ring);
    drain(slots[read], frame.lane, window.checksum);
    release(ring);
    advance(read);
    ++window.handled;
  }
  clock_end(frame, window);
  return window;
}

}  // namespace phasebit::PEER_SPACE

#endif
