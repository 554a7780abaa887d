// The primitives of cuda_pipeline_primitives.h: copies of each thread in batches, of which the
// thread waits for all but the last few. One warp, each thread reads what it copied.
#include "bench/peers/copies.cuh"
#include "bench/peers/one_warp.cuh"

#include <cuda_pipeline_primitives.h>

namespace phasebit::PEER_SPACE {

PEER_INLINE void fill(std::uint32_t* slot, const Frame& frame, Source& source) {
  copy_parts(slot, source, frame.lane, [](std::uint32_t* to, const std::uint32_t* from) {
    __pipeline_memcpy_async(to, from, PEER_COPY_BYTES);
  });
}
PEER_INLINE void commit() {
  __pipeline_commit();
}
PEER_INLINE void wait() {
  __pipeline_wait_prior(num_stages - 1);
}

PEER_INLINE Window both(Slots slots, const KernelParams& params, const Frame& frame,
                        Source source) {
  unsigned stage = 0;
  start_late(params, frame, frame.warp);
  Window window = clock_start(frame);
#pragma unroll 1
  for (std::uint32_t batch = 0; batch < num_stages; ++batch) {
    if (batch < frame.items) fill(slots[batch], frame, source);
    commit();
  }
#pragma unroll 1
  for (std::uint32_t item = 0; item < frame.items; ++item) {
    wait();
    drain(slots[stage], frame.lane, window.checksum);
    if (item + num_stages < frame.items) fill(slots[stage], frame, source);
    commit();
    advance(stage);
    ++window.handled;
  }
  clock_end(frame, window);
  return window;
}

extern "C" __global__ void PEER_ENTRY(const __grid_constant__ KernelParams params) {
  Frame frame;
  if (!begin(params, frame)) return;
  const Source source{write_images(params, frame, lanes), 0};
  __syncthreads();
  const Slots slots = slots_of_cta();
  const Window window = both(slots, params, frame, source);
  record(params, frame, window, Role::both);
}

}  // namespace phasebit::PEER_SPACE
