// cuda::barrier, two a slot: by tokens, as the guide's example of spatial partitioning, where who
// waits has arrived as well; or by wait_parity, where the other side alone arrives. It looks ahead
// by try_wait_parity_for of no time: it has no try without a limit.
#include "bench/peers/ring.cuh"

#include <cuda/barrier>

namespace phasebit::PEER_SPACE {

using Barrier = cuda::barrier<cuda::thread_scope_block>;
using At = Cursor<1>;

struct Ring : Stored {
  Barrier *full, *empty;
  const Frame& frame;
  PEER_INLINE bool speaks() const { return !by_warp || frame.lane == 0; }
};

PEER_INLINE void arrive_at(const Ring& ring, Barrier& barrier) {
  if constexpr (by_warp) __syncwarp();
  if (ring.speaks()) (void)barrier.arrive();
}

PEER_INLINE bool ask([[maybe_unused]] Barrier& barrier, [[maybe_unused]] bool parity, bool skip) {
#if PEER_BY_TOKEN
  return skip;
#else
  return skip || barrier.try_wait_parity_for(parity, cuda::std::chrono::nanoseconds(0));
#endif
}

PEER_INLINE void wait_for([[maybe_unused]] const Ring& ring, Barrier& barrier,
                          [[maybe_unused]] bool parity, bool ready) {
  if (ready) return;
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
PEER_INLINE bool try_acquire(Ring& ring, const At& at, bool skip) {
  return ask(ring.empty[at.stage()], at.parity == 0, skip);
}
PEER_INLINE void acquire(Ring& ring, const At& at, bool ready) {
  wait_for(ring, ring.empty[at.stage()], at.parity == 0, ready);
}
PEER_INLINE void commit(Ring& ring, const At& at) {
  arrive_at(ring, ring.full[at.stage()]);
}
PEER_INLINE bool try_wait(Ring& ring, const At& at, bool skip) {
  return ask(ring.full[at.stage()], at.parity != 0, skip);
}
PEER_INLINE void wait(Ring& ring, const At& at, bool ready) {
  wait_for(ring, ring.full[at.stage()], at.parity != 0, ready);
}
PEER_INLINE void release(Ring& ring, const At& at) {
  arrive_at(ring, ring.empty[at.stage()]);
}

extern "C" __global__ void PEER_ENTRY(const __grid_constant__ KernelParams params) {
  __shared__ Barrier full[num_stages], empty[num_stages];
  Frame frame;
  if (!begin(params, frame)) return;
  if (frame.tid < num_stages) {
    // Who waits by a token arrives too.
    constexpr unsigned both_arrive = full_arrivals + empty_arrivals;
    init(&full[frame.tid], PEER_BY_TOKEN ? both_arrive : full_arrivals);
    init(&empty[frame.tid], PEER_BY_TOKEN ? both_arrive : empty_arrivals);
  }
  __syncthreads();
  Ring ring{Stored(frame), full, empty, frame};
  run(ring, params, frame);
}

}  // namespace phasebit::PEER_SPACE
