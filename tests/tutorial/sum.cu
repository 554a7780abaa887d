// One producer warp, two consumer warpgroups: a sum is where the products go.
#include "ring.cuh"
namespace ring = phasebit::ring_6437a8c04a7e;

__global__ void __launch_bounds__(384) sum(const uint4* in, unsigned* out, unsigned items) {
  extern __shared__ __align__(1024) uint4 tiles[];
  __shared__ ring::SharedStorage storage;
  const unsigned warp = __shfl_sync(~0u, threadIdx.x / 32, 0), lane = threadIdx.x % 32;
  ring::init(storage, threadIdx.x);
  __syncthreads();
  if (warp == 0) {
    auto state = ring::make_producer_start_state(storage, lane);
    for (; state.count() < items; ++state) {
      ring::producer_acquire(state);
      const void* slot = tiles + state.index() * 1024;
      ring::producer_copy(state, __cvta_generic_to_shared(slot), in + state.count() * 1024);
      ring::producer_commit(state);
    }
    ring::producer_tail(state);
  } else if (warp >= 4) {
    unsigned total = 0;
    auto state = ring::make_consumer_start_state(storage, lane);
    for (; state.count() < items; ++state) {
      ring::consumer_wait(state);
      total += tiles[state.index() * 1024 + threadIdx.x - 128].x;
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // before the next copy
      ring::consumer_release(state);
    }
    out[threadIdx.x - 128] = total;
  }
}
