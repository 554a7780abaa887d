// cuda::pipeline of block scope between one producer warp and one consumer warp, in the loop of its
// documentation: acquire, memcpy_async or stores, commit; wait, read, release.
#include "bench/peers/payload.cuh"

#include <new>

#include <cuda/pipeline>

namespace phasebit::peers {

constexpr unsigned threads = 2 * lanes;
using Pipeline = cuda::pipeline<cuda::thread_scope_block>;

// The group that shares the pipeline: what libcu++ asks for. cooperative_groups would count the
// idle warps of a launch. Where one lane speaks for its warp, the lanes 0 alone are members.
struct Members {
  const Frame& frame;
  __device__ unsigned size() const { return by_warp ? threads / lanes : threads; }
  __device__ unsigned thread_rank() const {
    if constexpr (!by_warp) return frame.tid;
    return frame.lane == 0 ? frame.warp : threads;
  }
  __device__ void sync() const { __syncthreads(); }
};

PEER_INLINE bool is_member(const Frame& frame) {
  return !by_warp || frame.lane == 0;
}

PEER_INLINE void acquire(Pipeline& pipe, const Frame& frame) {
  if (is_member(frame)) pipe.producer_acquire();
  if constexpr (by_warp) __syncwarp();
}

PEER_INLINE void commit(Pipeline& pipe, const Frame& frame) {
  if constexpr (by_warp) __syncwarp();
  if (is_member(frame)) pipe.producer_commit();
}

PEER_INLINE void wait(Pipeline& pipe, const Frame& frame) {
  if (is_member(frame)) pipe.consumer_wait();
  if constexpr (by_warp) __syncwarp();
}

PEER_INLINE void release(Pipeline& pipe, const Frame& frame) {
  if constexpr (by_warp) __syncwarp();
  if (is_member(frame)) pipe.consumer_release();
}

#if PEER_COPIES
PEER_INLINE void fill(std::uint32_t* slot, const Frame& frame, Source& source, Pipeline& pipe) {
  cuda::memcpy_async(slot + frame.lane, source.words() + frame.lane, cuda::aligned_size_t<4>(4),
                     pipe);
  source.advance();
}
#endif

PEER_INLINE Window producer(Slots slots, const Frame& frame, Pipeline& pipe,
                            [[maybe_unused]] Source source) {
  [[maybe_unused]] std::uint32_t value = first_value(frame);
  unsigned stage = 0;
  Window window = clock_start(frame);
#pragma unroll 1
  for (std::uint32_t item = 0; item < frame.items; ++item) {
    acquire(pipe, frame);
#if PEER_COPIES
    fill(slots[stage], frame, source, pipe);
#else
    fill(slots[stage], frame, value);
#endif
    commit(pipe, frame);
    advance(stage);
    ++window.handled;
  }
  clock_end(frame, window);
  return window;
}

PEER_INLINE Window consumer(Slots slots, const KernelParams& params, const Frame& frame,
                            Pipeline& pipe) {
  unsigned stage = 0;
  start_late(params, frame, 1);
  Window window = clock_start(frame);
#pragma unroll 1
  for (std::uint32_t item = 0; item < frame.items; ++item) {
    wait(pipe, frame);
    drain(slots[stage], frame.lane, window.checksum);
    release(pipe, frame);
    advance(stage);
    ++window.handled;
  }
  clock_end(frame, window);
  return window;
}

extern "C" __global__ void PEER_ENTRY(const __grid_constant__ KernelParams params) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, num_stages> state;
  Frame frame;
  if (!begin(params, frame)) return;
  const Role role = frame.warp == 0 ? Role::producer : Role::consumer;
  Source source{PEER_COPIES ? write_images(params, frame, threads) : nullptr};
  const Members members{frame};
  // Never destroyed: only members may quit, and no thread uses the barriers again.
  alignas(Pipeline) unsigned char place[sizeof(Pipeline)];
#if PEER_BY_ROLE
  static_assert(!by_warp, "every thread that says its role is counted");
  const auto part =
      role == Role::producer ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
  Pipeline& pipe = *new (place) Pipeline(cuda::make_pipeline(members, &state, part));
#else
  Pipeline& pipe = *new (place) Pipeline(cuda::make_pipeline(members, &state, members.size() / 2));
#endif
  const Slots slots = slots_of_cta();
  const Window window = role == Role::producer ? producer(slots, frame, pipe, source)
                                               : consumer(slots, params, frame, pipe);
  record(params, frame, window, role);
}

}  // namespace phasebit::peers
