// CUTLASS PipelineAsync, in the loop of its collectives: acquire, store, commit; wait, read,
// release; the next stage asked for by producer_try_acquire and consumer_try_wait. A state is made
// where it is used, of stage and phase: what ++state counts and an unrolled loop knows.
#include "bench/peers/ring.cuh"

#include <cutlass/cutlass.h>
#include <cutlass/pipeline/sm90_pipeline.hpp>

namespace phasebit::PEER_SPACE {

using Pipeline = cutlass::PipelineAsync<static_cast<int>(num_stages)>;
using State = Pipeline::PipelineState;
using At = Cursor<1>;
using cutlass::BarrierStatus;

struct Ring : Stored {
  Pipeline& pipe;
  const Frame& frame;
  PEER_INLINE bool speaks() const { return !by_warp || frame.lane == 0; }
};

// The producer starts in the other phase: every slot is free.
PEER_INLINE State filled_at(const At& at) {
  return State(static_cast<int>(at.stage()), at.parity ^ 1, 0);
}
PEER_INLINE State read_at(const At& at) {
  return State(static_cast<int>(at.stage()), at.parity, 0);
}
PEER_INLINE BarrierStatus token(bool ready) {
  return ready ? BarrierStatus::WaitDone : BarrierStatus::WaitAgain;
}

PEER_INLINE bool try_acquire(Ring& ring, const At& at, bool skip) {
  return ring.pipe.producer_try_acquire(filled_at(at), skip) == BarrierStatus::WaitDone;
}
PEER_INLINE void acquire(Ring& ring, const At& at, bool ready) {
  ring.pipe.producer_acquire(filled_at(at), token(ready));
}
PEER_INLINE void commit(Ring& ring, const At& at) {
  if constexpr (by_warp) __syncwarp();
  if (ring.speaks()) ring.pipe.producer_commit(filled_at(at));
}
PEER_INLINE bool try_wait(Ring& ring, const At& at, bool skip) {
  return ring.pipe.consumer_try_wait(read_at(at), skip) == BarrierStatus::WaitDone;
}
PEER_INLINE void wait(Ring& ring, const At& at, bool ready) {
  ring.pipe.consumer_wait(read_at(at), token(ready));
}
PEER_INLINE void release(Ring& ring, const At& at) {
  if constexpr (by_warp) __syncwarp();
  if (ring.speaks()) ring.pipe.consumer_release(read_at(at));
}

extern "C" __global__ void PEER_ENTRY(const __grid_constant__ KernelParams params) {
  alignas(16) __shared__ unsigned char place[sizeof(Pipeline::SharedStorage)];
  Frame frame;
  if (!begin(params, frame)) return;
  auto& storage = *reinterpret_cast<Pipeline::SharedStorage*>(place);
  Pipeline::Params choice;
  choice.role = role_of(frame) == Role::producer ? Pipeline::ThreadCategory::Producer
                                                 : Pipeline::ThreadCategory::Consumer;
  choice.producer_arv_count = full_arrivals;
  choice.consumer_arv_count = empty_arrivals;
  choice.initializing_warp = params.first_warp;
  Pipeline pipe(storage, choice);
  __syncthreads();
  Ring ring{Stored(frame), pipe, frame};
  run(ring, params, frame);
}

}  // namespace phasebit::PEER_SPACE
