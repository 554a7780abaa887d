// cuda::pipeline whose threads all produce and consume: of block scope, one warp being the group,
// or of thread scope, each thread for itself.
#if PEER_COPIES
#include "bench/peers/copies.cuh"
#endif
#include "bench/peers/one_warp.cuh"

#include <cuda/pipeline>

namespace phasebit::PEER_SPACE {

#if PEER_THREAD_SCOPE
constexpr cuda::thread_scope scope = cuda::thread_scope_thread;
#else
constexpr cuda::thread_scope scope = cuda::thread_scope_block;
#endif
using Pipeline = cuda::pipeline<scope>;

// What libcu++ asks of a group; cooperative_groups would count the idle warps of a launch.
struct Members {
  const Frame& frame;
  __device__ unsigned size() const { return lanes; }
  __device__ unsigned thread_rank() const { return frame.tid; }
  __device__ void sync() const { __syncthreads(); }
};

#if PEER_COPIES
struct Ring {
  Pipeline& pipe;
  const Frame& frame;
  Source source;
};
PEER_INLINE void fill(Ring& ring, std::uint32_t* slot) {
  copy_parts(slot, ring.source, ring.frame.lane, [&](std::uint32_t* to, const std::uint32_t* from) {
    cuda::memcpy_async(to, from, cuda::aligned_size_t<PEER_COPY_BYTES>(PEER_COPY_BYTES), ring.pipe);
  });
}
#else
struct Ring : Stored {
  Pipeline& pipe;
};
#endif

PEER_INLINE void acquire(Ring& ring) {
  ring.pipe.producer_acquire();
}
PEER_INLINE void commit(Ring& ring) {
  ring.pipe.producer_commit();
}
PEER_INLINE void wait(Ring& ring) {
  ring.pipe.consumer_wait();
}
PEER_INLINE void release(Ring& ring) {
  ring.pipe.consumer_release();
}

extern "C" __global__ void PEER_ENTRY(const __grid_constant__ KernelParams params) {
  Frame frame;
  if (!begin(params, frame)) return;
#if PEER_COPIES
  const Source source{write_images(params, frame, lanes), 0};
#endif
#if PEER_THREAD_SCOPE
  __syncthreads();
  Pipeline pipe = cuda::make_pipeline();
#else
  __shared__ cuda::pipeline_shared_state<scope, num_stages> state;
  Pipeline pipe = cuda::make_pipeline(Members{frame}, &state);
#endif
#if PEER_COPIES
  Ring ring{pipe, frame, source};
#else
  Ring ring{Stored(frame), pipe};
#endif
  const Slots slots = slots_of_cta();
  const Window window = both(ring, slots, params, frame);
  record(params, frame, window, Role::both);
}

}  // namespace phasebit::PEER_SPACE
