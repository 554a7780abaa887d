// CUTLASS NamedBarrier, two a slot: who hands over arrives, who waits synchronises. CUTLASS keeps
// half of the 16 for itself, so there are four slots at most.
#include "bench/peers/ring.cuh"

#include <cutlass/arch/barrier.h>
#include <cutlass/cutlass.h>

namespace phasebit::PEER_SPACE {

using At = Cursor<1>;
using Barrier = cutlass::arch::NamedBarrier;

struct Ring : Stored {};

PEER_INLINE unsigned full(unsigned stage) {
  return 2 * stage;
}
PEER_INLINE unsigned empty(unsigned stage) {
  return 2 * stage + 1;
}

PEER_INLINE void prime(Ring&) {
#pragma unroll
  for (unsigned stage = 0; stage < num_stages; ++stage) Barrier::arrive(threads, empty(stage));
}
PEER_INLINE void acquire(Ring&, const At& at, bool) {
  Barrier::sync(threads, empty(at.stage()));
}
PEER_INLINE void commit(Ring&, const At& at) {
  Barrier::arrive(threads, full(at.stage()));
}
PEER_INLINE void wait(Ring&, const At& at, bool) {
  Barrier::sync(threads, full(at.stage()));
}
PEER_INLINE void release(Ring&, const At& at) {
  Barrier::arrive(threads, empty(at.stage()));
}
// What the consumers arrived at and nobody waited for.
PEER_INLINE void tail(Ring&, const At&) {
#pragma unroll
  for (unsigned stage = 0; stage < num_stages; ++stage) Barrier::sync(threads, empty(stage));
}

extern "C" __global__ void PEER_ENTRY(const __grid_constant__ KernelParams params) {
  Frame frame;
  if (!begin(params, frame)) return;
  Ring ring{Stored(frame)};
  run(ring, params, frame);
}

}  // namespace phasebit::PEER_SPACE
