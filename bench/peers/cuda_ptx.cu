// cuda::ptx: mbarrier_arrive and mbarrier_try_wait_parity in a loop, two words a slot.
#include "bench/peers/ring.cuh"

#include <cuda/ptx>

namespace phasebit::PEER_SPACE {

using At = Cursor<1>;

struct Ring : Stored {
  std::uint64_t *full, *empty;
  const Frame& frame;
};

PEER_INLINE void arrive_at(const Ring& ring, std::uint64_t* word) {
  if constexpr (by_warp) __syncwarp();
  if (!by_warp || ring.frame.lane == 0) (void)cuda::ptx::mbarrier_arrive(word);
}
PEER_INLINE bool ask(std::uint64_t* word, std::uint32_t parity, bool skip) {
  return skip || cuda::ptx::mbarrier_try_wait_parity(word, parity);
}
PEER_INLINE void wait_for(std::uint64_t* word, std::uint32_t parity, bool ready) {
  if (ready) return;
  while (!cuda::ptx::mbarrier_try_wait_parity(word, parity)) {
  }
}

PEER_INLINE bool try_acquire(Ring& ring, const At& at, bool skip) {
  return ask(&ring.empty[at.stage()], at.parity ^ 1, skip);
}
PEER_INLINE void acquire(Ring& ring, const At& at, bool ready) {
  wait_for(&ring.empty[at.stage()], at.parity ^ 1, ready);
}
PEER_INLINE void commit(Ring& ring, const At& at) {
  arrive_at(ring, &ring.full[at.stage()]);
}
PEER_INLINE bool try_wait(Ring& ring, const At& at, bool skip) {
  return ask(&ring.full[at.stage()], at.parity, skip);
}
PEER_INLINE void wait(Ring& ring, const At& at, bool ready) {
  wait_for(&ring.full[at.stage()], at.parity, ready);
}
PEER_INLINE void release(Ring& ring, const At& at) {
  arrive_at(ring, &ring.empty[at.stage()]);
}

extern "C" __global__ void PEER_ENTRY(const __grid_constant__ KernelParams params) {
  __shared__ std::uint64_t full[num_stages], empty[num_stages];
  Frame frame;
  if (!begin(params, frame)) return;
  if (frame.tid < num_stages) {
    cuda::ptx::mbarrier_init(&full[frame.tid], std::uint32_t{full_arrivals});
    cuda::ptx::mbarrier_init(&empty[frame.tid], std::uint32_t{empty_arrivals});
  }
  __syncthreads();
  Ring ring{Stored(frame), full, empty, frame};
  run(ring, params, frame);
}

}  // namespace phasebit::PEER_SPACE
