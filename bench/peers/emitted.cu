// A ring of ours as `phasebit emit` gives it to a user: the header's functions in loops like those of
// templates/probes/ring, the payload in C++.
#ifndef PEER_HEADER_EMITTED
#include PEER_EMITTED
#define PEER_HEADER_EMITTED
#endif
#include "bench/peers/payload.cuh"

namespace phasebit::PEER_SPACE {

namespace ring = PEER_RING;
using ring::Consumer;
using ring::PipelineState;
using ring::Producer;

PEER_INLINE void acquire(PipelineState<Producer>& state) {
  ring::producer_acquire(state);
}
PEER_INLINE void commit(PipelineState<Producer>& state) {
  ring::producer_commit(state);
}
PEER_INLINE void tail(PipelineState<Producer>& state) {
  ring::producer_tail(state);
}
PEER_INLINE void wait(PipelineState<Consumer>& state) {
  ring::consumer_wait(state);
}
PEER_INLINE void release(PipelineState<Consumer>& state) {
  ring::consumer_release(state);
}
template <class Role>
PEER_INLINE void advance(PipelineState<Role>& state) {
  ++state;
}

PEER_INLINE Window producer(ring::SharedStorage& storage, Slots slots, const Frame& frame) {
  auto state = ring::make_producer_start_state(storage, frame.lane);
  Stored stored(frame);
  Window window = clock_start(frame);
  if (state.count() < frame.items) {
#pragma unroll 1
    do {
      acquire(state);
      fill(stored, slots[state.index()]);
      commit(state);
      advance(state);
    } while (state.count() < frame.items);
  }
  window.handled = state.count();
  tail(state);
  clock_end(frame, window);
  return window;
}

PEER_INLINE Window consumer(ring::SharedStorage& storage, Slots slots, const KernelParams& params,
                            const Frame& frame) {
  auto state = ring::make_consumer_start_state(storage, frame.lane);
  const unsigned reader = frame.tid - producers * lanes;
  start_late(params, frame, 1);
  Window window = clock_start(frame);
  if (state.count() < frame.items) {
#pragma unroll 1
    do {
      wait(state);
      drain(slots[state.index()], reader, window.checksum);
      release(state);
      advance(state);
    } while (state.count() < frame.items);
  }
  window.handled = state.count();
  clock_end(frame, window);
  return window;
}

extern "C" __global__ void PEER_ENTRY(const __grid_constant__ KernelParams params) {
  __shared__ ring::SharedStorage storage;
  Frame frame;
  if (!begin(params, frame)) return;
  ring::init(storage, frame.tid);
  __syncthreads();
  const Slots slots = slots_of_cta();
  const Role role = frame.warp < producers ? Role::producer : Role::consumer;
  const Window window = role == Role::producer ? producer(storage, slots, frame)
                                               : consumer(storage, slots, params, frame);
  record(params, frame, window, role);
}

}  // namespace phasebit::PEER_SPACE
