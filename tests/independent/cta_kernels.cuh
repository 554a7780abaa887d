// Figures of one role that all warps of a CTA play: anchors, CTA barrier, fan-in by one mbarrier.
#pragma once

#include "barriers.cuh"

namespace independent {

// Anchor: a chain of dependent FMAs, 4 cycles each on Hopper.
class FmaChain {
 public:
  struct Shared {};
  static __device__ void init(Shared&) {}
  __device__ FmaChain(const LaunchPlan& plan, Shared&)
      : value_(static_cast<float>(plan.zero)), factor_(value_) {}

  __device__ void prepare() {}
  template <int>
  __device__ __forceinline__ void item() {
    asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(value_) : "f"(factor_));
  }
  __device__ void close() {}
  __device__ uint32_t verify(uint32_t) { return value_ == 0.0f ? 0 : wrong_count; }

 private:
  float value_;
  float factor_;
};

// Anchor: a pointer in shared memory that points at itself, ld.shared.b32 by 32-bit address.
class SharedChase {
 public:
  struct Shared {
    uint32_t link;
  };
  static __device__ void init(Shared& shared) { shared.link = shared_address(&shared.link); }
  __device__ SharedChase(const LaunchPlan&, Shared& shared)
      : home_(shared_address(&shared.link)), address_(home_) {}

  __device__ void prepare() {}
  template <int>
  __device__ __forceinline__ void item() {
    asm volatile("ld.shared.b32 %0, [%0];" : "+r"(address_));
  }
  __device__ void close() {}
  __device__ uint32_t verify(uint32_t) { return address_ == home_ ? 0 : wrong_count; }

 private:
  uint32_t home_;
  uint32_t address_;
};

// All warps of the CTA arrive and wait: bar.sync 0.
class CtaBarrier {
 public:
  struct Shared {
    uint32_t count;
  };
  static __device__ void init(Shared& shared) { shared.count = 0; }
  __device__ CtaBarrier(const LaunchPlan&, Shared& shared) : witness_(&shared.count, blockDim.x) {}

  __device__ void prepare() {}
  template <int>
  __device__ __forceinline__ void item() {
    witness_.arrive();
    __syncthreads();
    witness_.check();
  }
  __device__ void close() {}
  __device__ uint32_t verify(uint32_t) { return witness_.wrong(); }

 private:
  Witness witness_;
};

// All warps arrive on one mbarrier and all threads wait for its phase.
template <Wait wait, Arrivers arrivers>
class FanIn {
 public:
  struct Shared {
    uint64_t barrier;
    uint32_t count;
  };
  static __device__ void init(Shared& shared) {
    ptx::mbarrier_init(&shared.barrier, expected_arrivals(arrivers, blockDim.x));
    shared.count = 0;
  }
  __device__ FanIn(const LaunchPlan& plan, Shared& shared)
      : barrier_(opaque(&shared.barrier, plan)),
        guard_(plan),
        witness_(&shared.count, blockDim.x) {}

  __device__ void prepare() {}
  template <int Item>
  __device__ __forceinline__ void item() {
    witness_.arrive();
    arrive<arrivers>(barrier_);
    wait_parity<wait>(barrier_, Item & 1, guard_);
    witness_.check();
  }
  __device__ void close() {}
  __device__ uint32_t verify(uint32_t) { return verify_even_phase(barrier_) | witness_.wrong(); }

 private:
  uint64_t* barrier_;
  Guard guard_;
  Witness witness_;
};

template <class Role, int BodyItems>
__global__ void __launch_bounds__(1024) measure_cta(const __grid_constant__ LaunchPlan plan) {
  __shared__ typename Role::Shared shared;
  const uint32_t sm = ptx::get_sreg_smid();
  if (!claim(plan, sm == plan.target_sm, true)) return;
  if (threadIdx.x == 0) {
    plan.report->sm[0] = sm;
    Role::init(shared);
  }
  setup_sync();
  Role role(plan, shared);
  run_windows<BodyItems>(plan, role, warp_index(), threadIdx.x == 0, [] { setup_sync(); });
}

}  // namespace independent
