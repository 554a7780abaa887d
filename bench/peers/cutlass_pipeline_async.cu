// CUTLASS PipelineAsync between one producer warp and one consumer warp, in the loop of its
// collectives: acquire, store, commit, ++state; wait, read, release, ++state.
#include "bench/peers/two_warps.cuh"

#include <cutlass/cutlass.h>
#include <cutlass/pipeline/sm90_pipeline.hpp>

namespace phasebit::peers {

using Pipeline = cutlass::PipelineAsync<static_cast<int>(num_stages)>;

struct Ring {
  Pipeline& pipe;
  Pipeline::PipelineState state;
  const Frame& frame;
  PEER_INLINE unsigned stage() const { return state.index(); }
  PEER_INLINE bool speaks() const { return !by_warp || frame.lane == 0; }
};

PEER_INLINE void prime(Ring&) {}
PEER_INLINE void acquire(Ring& ring) {
  ring.pipe.producer_acquire(ring.state);
}
PEER_INLINE void commit(Ring& ring) {
  if constexpr (by_warp) __syncwarp();
  if (ring.speaks()) ring.pipe.producer_commit(ring.state);
}
PEER_INLINE void wait(Ring& ring) {
#if PEER_EARLY_TOKEN
  const auto token = ring.pipe.consumer_try_wait(ring.state);
  ring.pipe.consumer_wait(ring.state, token);
#else
  ring.pipe.consumer_wait(ring.state);
#endif
}
PEER_INLINE void release(Ring& ring) {
  if constexpr (by_warp) __syncwarp();
  if (ring.speaks()) ring.pipe.consumer_release(ring.state);
}
PEER_INLINE void advance(Ring& ring) {
  ++ring.state;
}

extern "C" __global__ void PEER_ENTRY(const __grid_constant__ KernelParams params) {
  alignas(16) __shared__ unsigned char place[sizeof(Pipeline::SharedStorage)];
  Frame frame;
  if (!begin(params, frame)) return;
  const Role role = role_of(frame);
  auto& storage = *reinterpret_cast<Pipeline::SharedStorage*>(place);
  Pipeline::Params choice;
  choice.role = role == Role::producer ? Pipeline::ThreadCategory::Producer
                                       : Pipeline::ThreadCategory::Consumer;
  choice.producer_arv_count = arrivals;
  choice.consumer_arv_count = arrivals;
  choice.initializing_warp = params.first_warp;
  Pipeline pipe(storage, choice);
  __syncthreads();
  Ring ring{pipe, {}, frame};
  if (role == Role::producer) ring.state = cutlass::make_producer_start_state<Pipeline>();
  run(ring, params, frame);
}

}  // namespace phasebit::peers
