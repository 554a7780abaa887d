// Copies through cuda::pipeline: every thread copies and computes, and, where the architecture has
// room for roles, half of the warps copy for the other half.
#include <cooperative_groups.h>
#include <cuda/pipeline>

namespace cg = cooperative_groups;

constexpr int tile = 256, num_stages = 4;

__global__ void scale_through_pipeline(const float* in, float* out, int tiles, float factor) {
  __shared__ float slots[num_stages][tile];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, num_stages> state;
  const auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  for (int filled = 0, used = 0; used < tiles; ++used) {
    for (; filled < tiles && filled < used + num_stages; ++filled) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, slots[filled % num_stages], in + filled * tile,
                         sizeof(float) * tile, pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    for (int i = threadIdx.x; i < tile; i += blockDim.x)
      out[used * tile + i] = slots[used % num_stages][i] * factor;
    pipe.consumer_release();
  }
}

__global__ void sum_with_roles(const float* in, float* out, int tiles) {
  __shared__ float slots[num_stages][tile];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, num_stages> state;
  const auto block = cg::this_thread_block();
  const bool produces = threadIdx.x < blockDim.x / 2;
  const auto role = produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
  auto pipe = cuda::make_pipeline(block, &state, role);
  const int lane = threadIdx.x % (blockDim.x / 2), width = blockDim.x / 2;
  float sum = 0;
  for (int step = 0; step < tiles; ++step) {
    float* slot = slots[step % num_stages];
    if (produces) {
      pipe.producer_acquire();
      for (int i = lane; i < tile; i += width)
        cuda::memcpy_async(slot + i, in + step * tile + i, sizeof(float), pipe);
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      for (int i = lane; i < tile; i += width) sum += slot[i];
      pipe.consumer_release();
    }
  }
  if (!produces) atomicAdd(out, sum);
}
