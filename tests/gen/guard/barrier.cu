// A wait by state, as libcu++ writes it.
#include <cuda/barrier>

extern "C" __global__ void by_state(int* out, int n) {
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  for (int i = 0; i < n; ++i) {
    barrier.arrive_and_wait();
    out[i] = i;
  }
}
