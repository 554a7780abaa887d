// cuda::barrier, two a slot: by tokens, as the guide's example of spatial partitioning, where a
// thread that waits has arrived as well; or by wait_parity, where the other side alone arrives.
#include "bench/peers/two_warps.cuh"

#include <cuda/barrier>

namespace phasebit::peers {

using Barrier = cuda::barrier<cuda::thread_scope_block>;

struct Ring {
  Barrier *full, *empty;
  const Frame& frame;
  Cursor cursor;
  PEER_INLINE unsigned stage() const { return cursor.at; }
  PEER_INLINE bool speaks() const { return !by_warp || frame.lane == 0; }
};

PEER_INLINE void arrive_at(const Ring& ring, Barrier& barrier) {
  if constexpr (by_warp) __syncwarp();
  if (ring.speaks()) (void)barrier.arrive();
}

PEER_INLINE void wait_for(const Ring& ring, Barrier& barrier, [[maybe_unused]] bool parity) {
#if PEER_BY_TOKEN
  if (ring.speaks()) barrier.arrive_and_wait();
  if constexpr (by_warp) __syncwarp();
#else
  barrier.wait_parity(parity);
#endif
}

PEER_INLINE void prime([[maybe_unused]] Ring& ring) {
#if PEER_BY_TOKEN
  for (unsigned stage = 0; stage < num_stages; ++stage)
    if (ring.speaks()) (void)ring.empty[stage].arrive();
#endif
}
PEER_INLINE void acquire(Ring& ring) {
  wait_for(ring, ring.empty[ring.stage()], ring.cursor.parity == 0);
}
PEER_INLINE void commit(Ring& ring) {
  arrive_at(ring, ring.full[ring.stage()]);
}
PEER_INLINE void wait(Ring& ring) {
  wait_for(ring, ring.full[ring.stage()], ring.cursor.parity != 0);
}
PEER_INLINE void release(Ring& ring) {
  arrive_at(ring, ring.empty[ring.stage()]);
}
PEER_INLINE void advance(Ring& ring) {
  ring.cursor.next();
}

extern "C" __global__ void PEER_ENTRY(const __grid_constant__ KernelParams params) {
  __shared__ Barrier full[num_stages], empty[num_stages];
  Frame frame;
  if (!begin(params, frame)) return;
  if (frame.tid < num_stages) {
    // A thread that waits by a token arrives too.
    init(&full[frame.tid], PEER_BY_TOKEN ? 2 * arrivals : arrivals);
    init(&empty[frame.tid], PEER_BY_TOKEN ? 2 * arrivals : arrivals);
  }
  __syncthreads();
  Ring ring{full, empty, frame, {}};
  run(ring, params, frame);
}

}  // namespace phasebit::peers
