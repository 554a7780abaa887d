// Loops that leave by what stands in memory: waits on ordinary loads, a wait whose value goes
// through the thread's own memory (compiled with -G), and loops that are no waits.
#include <cstdint>

#if __CUDA_ARCH__ >= 900
__device__ __forceinline__ void test(uint32_t barrier, uint32_t phase, uint32_t& done) {
  asm volatile(
      "{\n"
      ".reg .pred complete;\n"
      "mbarrier.try_wait.parity.shared::cta.b64 complete, [%1], %2;\n"
      "selp.b32 %0, 1, 0, complete;\n"
      "}\n"
      : "=r"(done)
      : "r"(barrier), "r"(phase)
      : "memory");
}

extern "C" __global__ void through_local(int* out, uint32_t barrier, uint32_t phase) {
  volatile uint32_t done = 0;
  while (!done) {
    uint32_t now;
    test(barrier, phase, now);
    done = now;
  }
  out[0] = 1;
}

extern "C" __global__ void by_reference(int* out, uint32_t barrier, uint32_t phase) {
  uint32_t done[2];
  do test(barrier, phase, done[1]);
  while (!done[1]);
  out[0] = 1;
}
#endif

extern "C" __global__ void global_flag(int* out, const int* flag) {
  while (*flag == 0) __nanosleep(20);
  out[0] = 1;
}

extern "C" __global__ void shared_flag(int* out) {
  __shared__ int flag[4];
  if (threadIdx.x == 0) flag[threadIdx.x] = out[3];
  __syncthreads();
  while (flag[1] == 0) __threadfence_block();
  out[0] = 1;
}

// No waits: a count with its bound in memory, a walk along a list, a search, a sum.
extern "C" __global__ void bound_in_memory(int* out, const int* n) {
  for (int i = 0; i < *n; ++i) out[i] = i;
}

struct Node {
  Node* next;
  int key;
};

extern "C" __global__ void list(int* out, const Node* at, const int* key) {
  while (at->key != *key) at = at->next;
  out[0] = at->key;
}

extern "C" __global__ void search(int* out, const int* values, const int* key) {
  int i = 0;
  while (values[i] != *key) ++i;
  out[0] = i;
}

extern "C" __global__ void sum(float* out, const float* values, const float* most) {
  float all = 0;
  for (int i = 0; all < *most; ++i) all += values[i];
  out[0] = all;
}

extern "C" __global__ void bounded_by_volatile(int* out, const volatile int* n) {
  for (int i = 0; i < *n; ++i) out[i] = i;
}

// What it writes may be what it loads: a note.
extern "C" __global__ void writes(int* out, const int* flag) {
  while (*flag == 0) *out = 1;
}
