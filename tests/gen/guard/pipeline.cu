#include <cooperative_groups.h>
#include <cuda/pipeline>

extern "C" __global__ void pipeline(int* out, const int* in, int n) {
  __shared__ int slots[2][128];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto pipe = cuda::make_pipeline(cooperative_groups::this_thread_block(), &state);
  for (int i = 0; i < n; ++i) {
    pipe.producer_acquire();
    cuda::memcpy_async(&slots[i & 1][threadIdx.x], in + i * 128 + threadIdx.x, sizeof(int), pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    out[i * 128 + threadIdx.x] = slots[i & 1][threadIdx.x];
    pipe.consumer_release();
  }
}
