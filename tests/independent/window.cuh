// The timed window and what stands around it: placement, start offsets, guard.
#pragma once

#include "plan.h"

#include <utility>

#include <cuda/ptx>

namespace independent {

namespace ptx = cuda::ptx;

// The shuffle tells the compiler that all lanes agree: the roles' code then stays warp-uniform.
__device__ inline uint32_t warp_index() {
  return __shfl_sync(0xffffffff, threadIdx.x / 32, 0);
}
__device__ inline uint32_t lane_index() {
  return threadIdx.x % 32;
}

// Volatile and a memory clobber: the compiler may move neither the read nor the operations.
__device__ inline uint64_t read_clock() {
  uint64_t now;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(now)::"memory");
  return now;
}

__device__ inline void setup_sync() {
  asm volatile("bar.sync %0;" ::"n"(setup_barrier_id) : "memory");
}

// %globaltimer keeps the limit valid at any SM clock; its tick (up to 1 us) does not matter here.
__device__ inline void spin_ns(uint64_t duration_ns) {
  const uint64_t start = ptx::get_sreg_globaltimer();
  while (ptx::get_sreg_globaltimer() - start < duration_ns) {
  }
}

// Every block of the grid calls this with all its threads. True for the one that measures. The
// others hold their SM until it has started (so that the grid covers the GPU), then leave; it
// waits until they are gone. `leads` names the block that speaks for its cluster.
__device__ inline bool claim(const LaunchPlan& plan, bool wanted, bool leads) {
  __shared__ bool mine;
  if (threadIdx.x == 0) {
    volatile uint32_t* claimed = &plan.report->claimed;
    mine = wanted && (!leads || atomicExch(&plan.report->claimed, 1u) == 0);
    const uint64_t start = ptx::get_sreg_globaltimer();
    while (*claimed == 0 && ptx::get_sreg_globaltimer() - start < 100'000'000) {
    }
    if (mine) spin_ns(30'000);
  }
  setup_sync();
  return mine;
}

// Start offset of a warp, 0 to 511 cycles. It is the same for all lengths of a sample: it moves
// the intercept, and only what is not a property of the operation moves the slope.
__device__ inline void start_offset(const LaunchPlan& plan, uint32_t sample, uint32_t role) {
  uint32_t mixed = (plan.seed * 2654435761u) ^ (sample * 40503u + role * 2246822519u);
  mixed ^= mixed >> 15;
  mixed *= 2654435761u;
  const uint64_t offset = sample == 0 ? 0 : (mixed >> 23);
  const uint64_t start = read_clock();
  while (read_clock() - start < offset) {
  }
}

// Bounds the polls of a wait by time. Empty in the timed build.
class Guard {
 public:
  __device__ explicit Guard(const LaunchPlan& plan) : status_(plan.guard) {}

  __device__ void begin() {
    if constexpr (guarded) start_ = read_clock();
  }

  __device__ void poll(uint32_t address, uint32_t parity) {
    if constexpr (guarded) {
      if (read_clock() - start_ < guard_limit_cycles) return;
      if (atomicExch_system(&status_->expired, 1u) == 0) {
        status_->block = blockIdx.x;
        status_->warp = warp_index();
        status_->lane = lane_index();
        status_->barrier_address = address;
        status_->parity = parity;
        __threadfence_system();
      }
      spin_ns(1'000'000);  // the first to expire writes its words before anybody traps
      asm volatile("trap;");
    }
  }

 private:
  GuardStatus* status_;
  uint64_t start_ = 0;
};

template <class Role, int... Items>
__device__ __forceinline__ void body(Role& role, std::integer_sequence<int, Items...>) {
  (role.template item<Items>(), ...);
}

// One timed window. The loop's entry depends on the start clock (through a zero from a kernel
// parameter), so no operation can start before the clock was read; close() ends in a completing
// wait, so the end clock stands behind the last operation. The slope removes close().
template <int BodyItems, class Role>
__device__ __forceinline__ uint64_t window(Role& role, uint32_t iterations, uint32_t zero) {
  const uint64_t start = read_clock();
  const uint32_t count = iterations + (static_cast<uint32_t>(start) & zero);
#pragma unroll 1
  for (uint32_t i = 0; i < count; ++i) {
    body(role, std::make_integer_sequence<int, BodyItems>{});
  }
  role.close();
  return read_clock() - start;
}

// All windows of one role. `synchronize` lets the roles meet before each window. A sample is all
// lengths with one set of start offsets. The shortest length runs once before, as a warm-up.
template <int BodyItems, class Role, class Synchronize>
__device__ __forceinline__ void run_windows(const LaunchPlan& plan, Role& role, uint32_t role_index,
                                            bool reports, Synchronize synchronize) {
  const uint64_t kernel_start = read_clock();
  const uint64_t kernel_start_ns = ptx::get_sreg_globaltimer();
  const uint32_t num_windows = plan.num_samples * num_lengths;
#pragma unroll 1
  for (uint32_t i = 0; i <= num_windows; ++i) {
    const uint32_t sample = i == 0 ? 0 : (i - 1) / num_lengths;
    const uint32_t length = i == 0 ? 0 : (i - 1) % num_lengths;
    role.prepare();
    synchronize();
    start_offset(plan, sample, role_index);
    const uint64_t cycles = window<BodyItems>(role, plan.iterations[length], plan.zero);
    if (reports) plan.report->cycles[sample][length] = cycles;
    synchronize();
    const uint32_t wrong = role.verify(plan.iterations[length] * BodyItems);
    if (wrong != 0) atomicOr(&plan.report->wrong, wrong);
  }
  if (reports) {
    plan.report->kernel_cycles = read_clock() - kernel_start;
    plan.report->kernel_ns = ptx::get_sreg_globaltimer() - kernel_start_ns;
  }
}

}  // namespace independent
