// One warp fills a ring of two slots, the other one adds up what it finds.
#include <cstdint>

__device__ uint32_t address(const void* p) {
  return (uint32_t)__cvta_generic_to_shared(p);
}

__device__ void init(uint64_t* bar, uint32_t arrivals) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address(bar)), "r"(arrivals) : "memory");
}
__device__ void arrive(uint64_t* bar) {
  asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(address(bar))
               : "memory");
}
__device__ void wait(uint64_t* bar, uint32_t parity) {
  asm volatile(
      "{ .reg .pred done;\n"
      "again: mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n"
      "@!done bra again; }" ::"r"(address(bar)),
      "r"(parity)
      : "memory");
}

extern "C" __global__ void ring(const uint32_t* in, uint32_t* out, int items) {
  __shared__ uint64_t full[2], empty[2];
  __shared__ uint32_t slots[2][32];
  const int lane = threadIdx.x % 32;
  if (threadIdx.x == 0)
    for (int s = 0; s < 2; ++s) {
      init(&full[s], 32);
      init(&empty[s], 32);
    }
  __syncthreads();
  uint32_t parity = 0, sum = 0;
#pragma unroll 1
  for (int i = 0; i < items; ++i) {
    const int s = i % 2;
    if (threadIdx.x < 32) {
      wait(&empty[s], parity);
      slots[s][lane] = in[32 * i + lane];
      arrive(&full[s]);
    } else {
      wait(&full[s], parity);
      arrive(&empty[s]);
      sum += slots[s][lane];
    }
    if (s == 1) parity ^= 1;
  }
  if (threadIdx.x >= 32) out[lane] = sum;
}
