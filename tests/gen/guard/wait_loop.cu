// Waits written in inline PTX, as libraries of kernels do it, in functions whose names say what
// they are for. Compiled with -lineinfo, so that the PTX says so too.
#include <cstdint>

__device__ __forceinline__ void consumer_wait(uint32_t barrier, uint32_t phase) {
  asm volatile(
      "{\n"
      ".reg .pred complete;\n"
      "L_try:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 complete, [%0], %1;\n"
      "@complete bra L_done;\n"
      "bra L_try;\n"
      "L_done:\n"
      "}\n" ::"r"(barrier),
      "r"(phase)
      : "memory");
}

__device__ __forceinline__ bool early_try(uint32_t barrier, uint32_t phase) {
  uint32_t there;
  asm volatile(
      "{\n"
      ".reg .pred complete;\n"
      "mbarrier.test_wait.parity.shared::cta.b64 complete, [%1], %2;\n"
      "selp.b32 %0, 1, 0, complete;\n"
      "}\n"
      : "=r"(there)
      : "r"(barrier), "r"(phase)
      : "memory");
  return there != 0;
}

extern "C" __global__ void waits(int* out, int items) {
  __shared__ uint64_t barriers[4];
  const uint32_t first = static_cast<uint32_t>(__cvta_generic_to_shared(barriers));
  if (threadIdx.x < 4)
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(first + 8 * threadIdx.x));
  __syncthreads();
  for (int item = 0; item < items; ++item) {
    const bool there = early_try(first + 8 * ((item + 1) % 4), 0);
    consumer_wait(first + 8 * (item % 4), item / 4 & 1);
    out[item] = there;
  }
}

// One lane polls, the warp hears of it.
extern "C" __global__ void one_lane(int* out, volatile int* flag) {
  int found = 0;
  do {
    if (threadIdx.x % 32 == 0) found = *flag;
    found = __shfl_sync(0xffffffff, found, 0);
  } while (found != 7);
  out[threadIdx.x] = found;
}

// The queue's head is an atomic: a loop over work is no hang while it moves.
extern "C" __global__ void work_list(int* out, int* head, int n) {
  for (int i = atomicAdd(head, 1); i < n; i = atomicAdd(head, 1)) out[i] = i;
}

__device__ __noinline__ int look_at(const int* flag) {
  int value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
}

// The poll stands in a function of its own.
extern "C" __global__ void by_call(int* out, const int* flag) {
  while (look_at(flag) == 0) {
  }
  out[0] = 1;
}

// The barrier's id is known when it runs.
extern "C" __global__ void id_in_register(int* out, int id) {
  asm volatile("bar.sync %0, %1;" ::"r"(id + 1), "r"(64) : "memory");
  asm volatile("bar.arrive %0, %1;" ::"r"(id + 2), "r"(64) : "memory");
  out[0] = 1;
}

// Leaves by time as well: it bounds itself.
extern "C" __global__ void bounds_itself(int* out, const int* flag) {
  const long long since = clock64();
  while (look_at(flag) == 0 && clock64() - since < 1000000) {
  }
  out[0] = 1;
}
