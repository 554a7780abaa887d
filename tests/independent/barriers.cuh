// The operations under test, by libcu++'s cuda::ptx: who arrives, how a role waits.
#pragma once

#include "window.cuh"

namespace independent {

enum class Wait { try_wait, test_wait };

// Who arrives: every thread of a warp, or lane 0 after __syncwarp.
enum class Arrivers { every_thread, one_lane };

__device__ constexpr uint32_t expected_arrivals(Arrivers arrivers, uint32_t num_threads) {
  return arrivers == Arrivers::every_thread ? num_threads : num_threads / 32;
}

__device__ inline uint32_t shared_address(const void* pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

// The same pointer, but the compiler cannot know it. Without this ptxas computes a shared address
// anew (S2R SR_CgaCtaId, LEA) before each operation that uses it, inside the window.
template <class T>
__device__ inline T* opaque(T* pointer, const LaunchPlan& plan) {
  return reinterpret_cast<T*>(reinterpret_cast<uintptr_t>(pointer) + plan.zero);
}

// Default semantics: .acquire.cta.
template <Wait wait>
__device__ __forceinline__ void wait_parity(uint64_t* barrier, uint32_t parity, Guard& guard) {
  guard.begin();
  if constexpr (wait == Wait::try_wait) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity)) {
      guard.poll(shared_address(barrier), parity);
    }
  } else {
    while (!ptx::mbarrier_test_wait_parity(barrier, parity)) {
      guard.poll(shared_address(barrier), parity);
    }
  }
}

// Default semantics: .release.cta; the state is discarded.
template <Arrivers arrivers>
__device__ __forceinline__ void arrive(uint64_t* barrier) {
  if constexpr (arrivers == Arrivers::every_thread) {
    ptx::mbarrier_arrive(barrier);
  } else {
    __syncwarp();
    if (lane_index() == 0) ptx::mbarrier_arrive(barrier);
  }
}

// A window holds an even number of phases, so the barrier must stand where it started: the phase
// of parity 1 is complete and that of parity 0 is not.
__device__ inline uint32_t verify_even_phase(uint64_t* barrier) {
  const bool right =
      ptx::mbarrier_test_wait_parity(barrier, 1u) && !ptx::mbarrier_test_wait_parity(barrier, 0u);
  return right ? 0 : wrong_phase;
}

// Guarded build: counts arrivals in shared memory beside the barrier, so that a wait that
// returns too early is seen. Empty in the timed build.
class Witness {
 public:
  __device__ Witness(uint32_t* count, uint32_t arrivals_per_phase)
      : count_(count), arrivals_per_phase_(arrivals_per_phase) {}

  __device__ void arrive() {
    if constexpr (guarded) atomicAdd(count_, 1u);
  }

  // After the wait for the next phase: all arrivals of that phase have been counted, and at most
  // those of the one behind it.
  __device__ void check() {
    if constexpr (guarded) {
      const uint32_t seen = *static_cast<volatile uint32_t*>(count_);
      required_ += arrivals_per_phase_;
      if (seen < required_ || seen > required_ + arrivals_per_phase_) wrong_ = wrong_witness;
    }
  }

  __device__ uint32_t wrong() const { return wrong_; }

 private:
  uint32_t* count_;
  uint32_t arrivals_per_phase_;
  uint32_t required_ = 0;
  uint32_t wrong_ = 0;
};

}  // namespace independent
