// cuda::pipeline whose threads all produce and consume: of block scope, one warp being the group,
// or of thread scope, each thread for itself.
#include "bench/peers/one_warp.cuh"

#include <cuda/pipeline>

namespace phasebit::peers {

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

struct Ring {
  Pipeline& pipe;
  const Frame& frame;
  Source source;
  std::uint32_t value;
};

PEER_INLINE void acquire(Ring& ring) {
  ring.pipe.producer_acquire();
}
PEER_INLINE void fill(Ring& ring, std::uint32_t* slot) {
#if PEER_COPIES
  cuda::memcpy_async(slot + ring.frame.lane, ring.source.words() + ring.frame.lane,
                     cuda::aligned_size_t<4>(4), ring.pipe);
  ring.source.advance();
#else
  fill(slot, ring.frame, ring.value);
#endif
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
  const Source source{PEER_COPIES ? write_images(params, frame, lanes) : nullptr};
#if PEER_THREAD_SCOPE
  __syncthreads();
  Pipeline pipe = cuda::make_pipeline();
#else
  __shared__ cuda::pipeline_shared_state<scope, num_stages> state;
  Pipeline pipe = cuda::make_pipeline(Members{frame}, &state);
#endif
  Ring ring{pipe, frame, source, first_value(frame)};
  const Slots slots = slots_of_cta();
  const Window window = both(ring, slots, params, frame);
  record(params, frame, window, Role::both);
}

}  // namespace phasebit::peers
