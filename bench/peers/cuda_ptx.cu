// cuda::ptx: mbarrier_arrive and mbarrier_try_wait_parity in a loop, two words a slot.
#include "bench/peers/two_warps.cuh"

#include <cuda/ptx>

namespace phasebit::peers {

struct Ring {
  std::uint64_t *full, *empty;
  const Frame& frame;
  Cursor cursor;
  PEER_INLINE unsigned stage() const { return cursor.at; }
};

PEER_INLINE void arrive_at(const Ring& ring, std::uint64_t* word) {
  if constexpr (by_warp) __syncwarp();
  if (!by_warp || ring.frame.lane == 0) (void)cuda::ptx::mbarrier_arrive(word);
}
PEER_INLINE void wait_for(std::uint64_t* word, std::uint32_t parity) {
  while (!cuda::ptx::mbarrier_try_wait_parity(word, parity)) {
  }
}

PEER_INLINE void prime(Ring&) {}
PEER_INLINE void acquire(Ring& ring) {
  wait_for(&ring.empty[ring.stage()], ring.cursor.parity ^ 1);
}
PEER_INLINE void commit(Ring& ring) {
  arrive_at(ring, &ring.full[ring.stage()]);
}
PEER_INLINE void wait(Ring& ring) {
  wait_for(&ring.full[ring.stage()], ring.cursor.parity);
}
PEER_INLINE void release(Ring& ring) {
  arrive_at(ring, &ring.empty[ring.stage()]);
}
PEER_INLINE void advance(Ring& ring) {
  ring.cursor.next();
}

extern "C" __global__ void PEER_ENTRY(const __grid_constant__ KernelParams params) {
  __shared__ std::uint64_t full[num_stages], empty[num_stages];
  Frame frame;
  if (!begin(params, frame)) return;
  if (frame.tid < num_stages) {
    cuda::ptx::mbarrier_init(&full[frame.tid], std::uint32_t{arrivals});
    cuda::ptx::mbarrier_init(&empty[frame.tid], std::uint32_t{arrivals});
  }
  __syncthreads();
  Ring ring{full, empty, frame, {}};
  run(ring, params, frame);
}

}  // namespace phasebit::peers
