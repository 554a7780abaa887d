// __syncthreads between one warp that stores and warps that read, as in a double-buffered tile
// loop: with two slots or more one barrier an item, which publishes it and says that the one before
// is read; with one slot two.
#include "bench/peers/ring.cuh"

namespace phasebit::PEER_SPACE {

using At = Cursor<1>;
constexpr bool one_slot = num_stages == 1;

struct Ring : Stored {};

PEER_INLINE void prime(Ring&) {
  if constexpr (one_slot) __syncthreads();
}
PEER_INLINE void acquire(Ring&, const At&, bool) {
  if constexpr (one_slot) __syncthreads();
}
PEER_INLINE void commit(Ring&, const At&) {
  __syncthreads();
}
PEER_INLINE void wait(Ring&, const At&, bool) {
  __syncthreads();
}
PEER_INLINE void release(Ring&, const At&) {
  if constexpr (one_slot) __syncthreads();
}
// The last release's other side.
PEER_INLINE void tail(Ring&, const At&) {
  if constexpr (one_slot) __syncthreads();
}

extern "C" __global__ void PEER_ENTRY(const __grid_constant__ KernelParams params) {
  Frame frame;
  if (!begin(params, frame)) return;
  Ring ring{Stored(frame)};
  run(ring, params, frame);
}

}  // namespace phasebit::PEER_SPACE
