// CUTLASS PipelineTmaAsync: one thread of the producer warp issues bulk copies; the consumer warps,
// which share each tile, wait for its bytes, read and release, in the loop of the collectives.
#include "bench/peers/payload.cuh"

#include <cute/arch/cluster_sm90.hpp>
#include <cute/arch/copy_sm90_tma.hpp>
#include <cutlass/cutlass.h>
#include <cutlass/pipeline/sm90_pipeline.hpp>

namespace phasebit::peers {

constexpr unsigned threads = lanes + readers;
using Pipeline = cutlass::PipelineTmaAsync<static_cast<int>(num_stages)>;
using State = Pipeline::PipelineState;

// The thread of the producer warp that copies: the one that elect.sync names, as in the
// collectives, or the first.
PEER_INLINE bool leads(const Frame& frame) {
#if PEER_UNIFORM_ROLE
  const bool named = cute::elect_one_sync() != 0;
#else
  const bool named = frame.lane == 0;
#endif
  return frame.warp == 0 && named;
}

PEER_INLINE void acquire(Pipeline& pipe, const State& state) {
  pipe.producer_acquire(state);
}
PEER_INLINE void fill(Pipeline& pipe, const State& state, std::uint32_t* slot, Source& source) {
  cute::SM90_BULK_COPY_G2S::copy(source.words(), pipe.producer_get_barrier(state), slot,
                                 PEER_PAYLOAD_BYTES);
  source.advance();
}
PEER_INLINE void tail(Pipeline& pipe, const State& state) {
  pipe.producer_tail(state);
}
PEER_INLINE void wait(Pipeline& pipe, const State& state) {
#if PEER_EARLY_TOKEN
  const auto token = pipe.consumer_try_wait(state);
  pipe.consumer_wait(state, token);
#else
  pipe.consumer_wait(state);
#endif
}
PEER_INLINE void release(Pipeline& pipe, const State& state, const Frame& frame) {
  if constexpr (by_warp) __syncwarp();
  if (!by_warp || frame.lane == 0) pipe.consumer_release(state);
}
PEER_INLINE void advance(State& state) {
  ++state;
}

PEER_INLINE Window producer(Pipeline& pipe, Slots slots, const Frame& frame, Source source) {
  State state = cutlass::make_producer_start_state<Pipeline>();
  Window window = clock_start(frame);
#pragma unroll 1
  for (std::uint32_t item = 0; item < frame.items; ++item) {
    acquire(pipe, state);
    fill(pipe, state, slots[state.index()], source);
    advance(state);
    ++window.handled;
  }
  tail(pipe, state);
  clock_end(frame, window);
  return window;
}

PEER_INLINE Window consumer(Pipeline& pipe, Slots slots, const KernelParams& params,
                            const Frame& frame) {
  State state;
  start_late(params, frame, 1);
  Window window = clock_start(frame);
#pragma unroll 1
  for (std::uint32_t item = 0; item < frame.items; ++item) {
    wait(pipe, state);
    drain(slots[state.index()], frame.tid - lanes, window.checksum);
    release(pipe, state, frame);
    advance(state);
    ++window.handled;
  }
  clock_end(frame, window);
  return window;
}

extern "C" __global__ void PEER_ENTRY(const __grid_constant__ KernelParams params) {
  alignas(16) __shared__ unsigned char place[sizeof(Pipeline::SharedStorage)];
  Frame frame;
  if (!begin(params, frame)) return;
  const Role role = frame.warp == 0 ? Role::producer : Role::consumer;
  const Source source{write_images(params, frame, threads)};
  // The copies read by the asynchronous proxy what these threads wrote.
  asm volatile("fence.proxy.async;" ::: "memory");
  auto& storage = *reinterpret_cast<Pipeline::SharedStorage*>(place);
  Pipeline::Params choice;
  choice.transaction_bytes = PEER_PAYLOAD_BYTES;
  choice.role = role == Role::producer ? Pipeline::ThreadCategory::Producer
                                       : Pipeline::ThreadCategory::Consumer;
  const bool leader = leads(frame);
  choice.is_leader = leader ? 1 : 0;
  choice.num_consumers = by_warp ? readers / lanes : readers;
  choice.initializing_warp = params.first_warp;
  Pipeline pipe(storage, choice, cute::Shape<cute::_1, cute::_1, cute::_1>{});
  __syncthreads();
  const Slots slots = slots_of_cta();
  Window window;
  if (role == Role::consumer)
    window = consumer(pipe, slots, params, frame);
  else if (leader)
    window = producer(pipe, slots, frame, source);
  record(params, frame, window, role);
}

}  // namespace phasebit::peers
