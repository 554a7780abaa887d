// A ring of slots between a producer warp and consumers over cuda::barrier, a split arrive and
// wait, and from sm_90 on a bulk copy that completes a transaction.
#include <utility>

#include <cuda/barrier>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int tile = 128, num_stages = 3;

#pragma nv_diag_suppress static_var_with_dynamic_init

template <typename T>
__global__ void ring(const T* in, T* out, int items) {
  __shared__ alignas(16) T slots[num_stages][tile];
  __shared__ block_barrier full[num_stages], empty[num_stages];
  if (threadIdx.x == 0)
    for (int i = 0; i < num_stages; ++i) {
      init(&full[i], blockDim.x);
      init(&empty[i], blockDim.x);
    }
  __syncthreads();
  if (threadIdx.x < 32) {
    for (int item = 0; item < items; ++item) {
      const int slot = item % num_stages;
      empty[slot].arrive_and_wait();
      for (int i = threadIdx.x; i < tile; i += 32) slots[slot][i] = in[item * tile + i];
      [[maybe_unused]] auto token = full[slot].arrive();
    }
  } else {
    for (int i = 0; i < num_stages; ++i) [[maybe_unused]]
      auto token = empty[i].arrive();
    for (int item = 0; item < items; ++item) {
      const int slot = item % num_stages;
      full[slot].arrive_and_wait();
      for (int i = threadIdx.x - 32; i < tile; i += blockDim.x - 32)
        out[item * tile + i] = slots[slot][i] + T(1);
      [[maybe_unused]] auto token = empty[slot].arrive();
    }
  }
}
template __global__ void ring<float>(const float*, float*, int);
template __global__ void ring<double>(const double*, double*, int);

__global__ void split_arrive(const int* in, int* out, int rounds) {
  __shared__ block_barrier barrier;
  __shared__ int values[tile];
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  int sum = 0;
  for (int round = 0; round < rounds; ++round) {
    values[threadIdx.x % tile] = in[round * tile + threadIdx.x % tile];
    auto token = barrier.arrive();
    const int own = sum * 3 + round;
    barrier.wait(std::move(token));
    sum += own + values[(threadIdx.x + 1) % tile];
    barrier.arrive_and_wait();
  }
  out[threadIdx.x] = sum;
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
__global__ void bulk_copy(const float* in, float* out, int items) {
  __shared__ alignas(128) float slot[tile];
  __shared__ block_barrier barrier;
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  for (int item = 0; item < items; ++item) {
    block_barrier::arrival_token token;
    if (threadIdx.x == 0) {
      cuda::memcpy_async(slot, in + item * tile, cuda::aligned_size_t<16>(sizeof slot), barrier);
      token = barrier.arrive();
    } else {
      token = barrier.arrive();
    }
    barrier.wait(std::move(token));
    for (int i = threadIdx.x; i < tile; i += blockDim.x) out[item * tile + i] = slot[i];
    __syncthreads();
  }
}
#endif
