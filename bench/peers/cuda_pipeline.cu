// cuda::pipeline of block scope between producer warps and consumer warps, in the loop of its
// documentation: acquire, memcpy_async or stores, commit; wait, read, release. The pipeline keeps
// its stage itself: an unrolled loop knows the slot's address alone.
#if PEER_COPIES
#include "bench/peers/copies.cuh"
#endif
#include "bench/peers/ring.cuh"

#include <new>

#include <cuda/pipeline>

namespace phasebit::PEER_SPACE {

using Pipeline = cuda::pipeline<cuda::thread_scope_block>;
using At = Cursor<1>;

// The group that shares the pipeline: what libcu++ asks for. cooperative_groups would count the
// idle warps of a launch. Where one lane speaks for its warp, the lanes 0 alone are members.
struct Members {
  const Frame& frame;
  __device__ unsigned size() const { return full_arrivals + empty_arrivals; }
  __device__ unsigned thread_rank() const {
    if constexpr (!by_warp) return frame.tid;
    return frame.lane == 0 ? frame.warp : threads;
  }
  __device__ void sync() const { __syncthreads(); }
};

#if PEER_COPIES
struct Ring {
  Pipeline& pipe;
  const Frame& frame;
  Source source;
};
PEER_INLINE void fill(Ring& ring, std::uint32_t* slot) {
  copy_parts(slot, ring.source, ring.frame.tid, [&](std::uint32_t* to, const std::uint32_t* from) {
    cuda::memcpy_async(to, from, cuda::aligned_size_t<PEER_COPY_BYTES>(PEER_COPY_BYTES), ring.pipe);
  });
}
#else
struct Ring : Stored {
  Pipeline& pipe;
  const Frame& frame;
};
#endif

PEER_INLINE bool is_member(const Ring& ring) {
  return !by_warp || ring.frame.lane == 0;
}

PEER_INLINE void acquire(Ring& ring, const At&, bool) {
  if (is_member(ring)) ring.pipe.producer_acquire();
  if constexpr (by_warp) __syncwarp();
}
PEER_INLINE void commit(Ring& ring, const At&) {
  if constexpr (by_warp) __syncwarp();
  if (is_member(ring)) ring.pipe.producer_commit();
}
PEER_INLINE void wait(Ring& ring, const At&, bool) {
  if (is_member(ring)) ring.pipe.consumer_wait();
  if constexpr (by_warp) __syncwarp();
}
PEER_INLINE void release(Ring& ring, const At&) {
  if constexpr (by_warp) __syncwarp();
  if (is_member(ring)) ring.pipe.consumer_release();
}

extern "C" __global__ void PEER_ENTRY(const __grid_constant__ KernelParams params) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, num_stages> state;
  Frame frame;
  if (!begin(params, frame)) return;
  // Never destroyed: only members may quit, and nobody uses the barriers again.
  alignas(Pipeline) unsigned char place[sizeof(Pipeline)];
#if PEER_COPIES
  const Source source{write_images(params, frame, threads), first_image(frame)};
#endif
  Pipeline& pipe =
      *new (place) Pipeline(cuda::make_pipeline(Members{frame}, &state, full_arrivals));
#if PEER_COPIES
  Ring ring{pipe, frame, source};
#else
  Ring ring{Stored(frame), pipe, frame};
#endif
  run(ring, params, frame);
}

}  // namespace phasebit::PEER_SPACE
