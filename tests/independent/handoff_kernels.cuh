// Hand-off: a token goes between a producer warp (0) and a consumer warp (1) of one CTA.
// full_barrier says that the slot is filled, empty_barrier that it is free; no data moves.
#pragma once

#include "barriers.cuh"

namespace independent {

// Two mbarriers. The producer waits on parity ^ 1: a fresh empty_barrier lets it begin.
template <Wait wait, Arrivers arrivers>
struct MbarrierHandOff {
  struct Shared {
    uint64_t full;
    uint64_t empty;
    uint32_t filled;  // guarded build: items that the producer has announced
  };
  static __device__ void init(Shared& shared) {
    ptx::mbarrier_init(&shared.full, expected_arrivals(arrivers, 32));
    ptx::mbarrier_init(&shared.empty, expected_arrivals(arrivers, 32));
    shared.filled = 0;
  }

  class Producer {
   public:
    __device__ Producer(const LaunchPlan& plan, Shared& shared)
        : shared_(*opaque(&shared, plan)), guard_(plan), witness_(&shared.filled, 32) {}
    __device__ void prepare() {}
    template <int Item>
    __device__ __forceinline__ void item() {
      wait_parity<wait>(&shared_.empty, (Item & 1) ^ 1, guard_);
      witness_.arrive();
      arrive<arrivers>(&shared_.full);
    }
    __device__ __forceinline__ void close() { wait_parity<wait>(&shared_.empty, 1, guard_); }
    __device__ uint32_t verify(uint32_t) {
      return verify_even_phase(&shared_.full) | verify_even_phase(&shared_.empty);
    }

   private:
    Shared& shared_;
    Guard guard_;
    Witness witness_;
  };

  class Consumer {
   public:
    __device__ Consumer(const LaunchPlan& plan, Shared& shared)
        : shared_(*opaque(&shared, plan)), guard_(plan), witness_(&shared.filled, 32) {}
    __device__ void prepare() {}
    template <int Item>
    __device__ __forceinline__ void item() {
      wait_parity<wait>(&shared_.full, Item & 1, guard_);
      witness_.check();
      arrive<arrivers>(&shared_.empty);
    }
    __device__ void close() {}
    __device__ uint32_t verify(uint32_t) { return witness_.wrong(); }

   private:
    Shared& shared_;
    Guard guard_;
    Witness witness_;
  };
};

// Two CTA barriers of 64 threads: bar.sync waits, bar.arrive does not.
template <int Id>
__device__ __forceinline__ void named_sync() {
  asm volatile("bar.sync %0, 64;" ::"n"(Id) : "memory");
}

template <int Id>
__device__ __forceinline__ void named_arrive() {
  asm volatile("bar.arrive %0, 64;" ::"n"(Id) : "memory");
}

struct CtaBarrierHandOff {
  struct Shared {
    uint32_t filled;
  };
  static __device__ void init(Shared& shared) { shared.filled = 0; }

  class Producer {
   public:
    __device__ Producer(const LaunchPlan&, Shared& shared) : witness_(&shared.filled, 32) {}
    __device__ void prepare() {}
    template <int>
    __device__ __forceinline__ void item() {
      named_sync<empty_barrier_id>();
      witness_.arrive();
      named_arrive<full_barrier_id>();
    }
    // Also takes the consumer's last arrival, so that the next window starts with none pending.
    __device__ __forceinline__ void close() { named_sync<empty_barrier_id>(); }
    __device__ uint32_t verify(uint32_t) { return 0; }

   private:
    Witness witness_;
  };

  class Consumer {
   public:
    __device__ Consumer(const LaunchPlan&, Shared& shared) : witness_(&shared.filled, 32) {}
    // The slot starts empty.
    __device__ void prepare() { named_arrive<empty_barrier_id>(); }
    template <int>
    __device__ __forceinline__ void item() {
      named_sync<full_barrier_id>();
      witness_.check();
      named_arrive<empty_barrier_id>();
    }
    __device__ void close() {}
    __device__ uint32_t verify(uint32_t) { return witness_.wrong(); }

   private:
    Witness witness_;
  };
};

template <class Protocol, int BodyItems>
__global__ void __launch_bounds__(64) measure_hand_off(const __grid_constant__ LaunchPlan plan) {
  __shared__ typename Protocol::Shared shared;
  const uint32_t sm = ptx::get_sreg_smid();
  if (!claim(plan, sm == plan.target_sm, true)) return;
  if (threadIdx.x == 0) {
    plan.report->sm[0] = sm;
    Protocol::init(shared);
  }
  setup_sync();
  if (warp_index() == 0) {
    typename Protocol::Producer producer(plan, shared);
    run_windows<BodyItems>(plan, producer, 0, threadIdx.x == 0, [] { setup_sync(); });
  } else {
    typename Protocol::Consumer consumer(plan, shared);
    run_windows<BodyItems>(plan, consumer, 1, false, [] { setup_sync(); });
  }
}

}  // namespace independent
