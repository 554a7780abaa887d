// CUTLASS PipelineTmaAsync: one thread of a producer warp issues bulk copies; consumer warps share
// each tile, or take the tiles in turn, as the producer warps then do. The loop is that of the
// collectives; states as in cutlass_pipeline_async.cu.
#include "bench/peers/ring.cuh"

#include <cute/arch/cluster_sm90.hpp>
#include <cute/arch/copy_sm90_tma.hpp>
#include <cutlass/cutlass.h>
#include <cutlass/pipeline/sm90_pipeline.hpp>

namespace phasebit::PEER_SPACE {

using Pipeline = cutlass::PipelineTmaAsync<static_cast<int>(num_stages)>;
using State = Pipeline::PipelineState;
using Filled = Cursor<producer_turns>;
using Read = Cursor<consumer_turns>;
using cutlass::BarrierStatus;

struct Ring {
  Pipeline& pipe;
  const Frame& frame;
  Source source;
  State filling;  // of the item that was acquired
};

// The producer starts in the other phase: every slot is free.
PEER_INLINE State filled_at(const Filled& at) {
  return State(static_cast<int>(at.stage()), at.parity ^ 1, 0);
}
PEER_INLINE State read_at(const Read& at) {
  return State(static_cast<int>(at.stage()), at.parity, 0);
}
PEER_INLINE BarrierStatus token(bool ready) {
  return ready ? BarrierStatus::WaitDone : BarrierStatus::WaitAgain;
}

PEER_INLINE bool try_acquire(Ring& ring, const Filled& at, bool skip) {
  return ring.pipe.producer_try_acquire(filled_at(at), skip) == BarrierStatus::WaitDone;
}
PEER_INLINE void acquire(Ring& ring, const Filled& at, bool ready) {
  ring.filling = filled_at(at);
  ring.pipe.producer_acquire(ring.filling, token(ready));
}
PEER_INLINE void fill(Ring& ring, std::uint32_t* slot) {
  cute::SM90_BULK_COPY_G2S::copy(ring.source.words(), ring.pipe.producer_get_barrier(ring.filling),
                                 slot, PEER_PAYLOAD_BYTES);
  ring.source.advance();
}
// The copy commits.
PEER_INLINE void commit(Ring&, const Filled&) {}
// From the slot after the last. Where producers take turns, producer_tail would wait for slots of
// others, whose phase this warp does not know: each waits for its own.
PEER_INLINE void tail(Ring& ring, Filled at) {
  if constexpr (producer_turns == 1) {
    ring.pipe.producer_tail(filled_at(at));
  } else {
#pragma unroll
    for (unsigned slot = 0; slot < Filled::stages; ++slot, at.next())
      while (ring.pipe.producer_try_acquire(filled_at(at)) != BarrierStatus::WaitDone) {
      }
  }
}
PEER_INLINE bool try_wait(Ring& ring, const Read& at, bool skip) {
  return ring.pipe.consumer_try_wait(read_at(at), skip) == BarrierStatus::WaitDone;
}
PEER_INLINE void wait(Ring& ring, const Read& at, bool ready) {
  ring.pipe.consumer_wait(read_at(at), token(ready));
}
PEER_INLINE void release(Ring& ring, const Read& at) {
  if constexpr (by_warp) __syncwarp();
  if (!by_warp || ring.frame.lane == 0) ring.pipe.consumer_release(read_at(at));
}

extern "C" __global__ void PEER_ENTRY(const __grid_constant__ KernelParams params) {
  alignas(16) __shared__ unsigned char place[sizeof(Pipeline::SharedStorage)];
  Frame frame;
  if (!begin(params, frame)) return;
  const Role role = role_of(frame);
  const Source source{write_images(params, frame, threads), first_image(frame)};
  // The copies read by the asynchronous proxy what these threads wrote.
  asm volatile("fence.proxy.async;" ::: "memory");
  auto& storage = *reinterpret_cast<Pipeline::SharedStorage*>(place);
  Pipeline::Params choice;
  choice.transaction_bytes = PEER_PAYLOAD_BYTES;
  choice.role = role == Role::producer ? Pipeline::ThreadCategory::Producer
                                       : Pipeline::ThreadCategory::Consumer;
  // The thread that copies is the one that elect.sync names, as in the collectives.
  const bool leader = role == Role::producer && cute::elect_one_sync() != 0;
  choice.is_leader = leader ? 1 : 0;
  choice.num_consumers = empty_arrivals;
  choice.initializing_warp = params.first_warp;
  Pipeline pipe(storage, choice, cute::Shape<cute::_1, cute::_1, cute::_1>{});
  __syncthreads();
  const Slots slots = slots_of_cta();
  Ring ring{pipe, frame, source, {}};
  Window window;
  if (role == Role::consumer)
    window = consumer(ring, slots, params, frame);
  else if (leader)
    window = producer(ring, slots, frame);
  record(params, frame, window, role);
}

}  // namespace phasebit::PEER_SPACE
