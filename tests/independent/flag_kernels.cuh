// Hand-off by flags in shared memory: two counters that only grow. Lane 0 polls, __syncwarp lets
// its warp go on, lane 0 stores.
#pragma once

#include "barriers.cuh"

namespace independent {

enum class FlagOrder { is_volatile, acquire_release };

template <FlagOrder order>
__device__ __forceinline__ uint32_t load_flag(uint32_t address) {
  uint32_t value;
  if constexpr (order == FlagOrder::is_volatile) {
    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(value) : "r"(address) : "memory");
  } else {
    asm volatile("ld.acquire.cta.shared.u32 %0, [%1];" : "=r"(value) : "r"(address) : "memory");
  }
  return value;
}

template <FlagOrder order>
__device__ __forceinline__ void store_flag(uint32_t address, uint32_t value) {
  if constexpr (order == FlagOrder::is_volatile) {
    asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(address), "r"(value) : "memory");
  } else {
    asm volatile("st.release.cta.shared.u32 [%0], %1;" ::"r"(address), "r"(value) : "memory");
  }
}

template <FlagOrder order>
struct FlagHandOff {
  struct Shared {
    uint32_t full;   // items filled
    uint32_t empty;  // items freed
  };
  static __device__ void init(Shared& shared) { shared = {}; }

  // One role: waits until `awaited` has reached a count, then stores the next one in `announced`.
  class Role {
   public:
    __device__ Role(const LaunchPlan& plan, const uint32_t* awaited, uint32_t* announced,
                    uint32_t lead)
        : awaited_(shared_address(awaited) + plan.zero),
          announced_(shared_address(announced) + plan.zero),
          lead_(lead),
          guard_(plan) {}
    __device__ void prepare() { begin_ = count_; }

    __device__ __forceinline__ void wait(uint32_t required) {
      guard_.begin();
      if (lane_index() == 0) {
        while (load_flag<order>(awaited_) < required) {
          guard_.poll(awaited_, required);
        }
      }
      __syncwarp();
    }

    template <int>
    __device__ __forceinline__ void item() {
      wait(count_ + lead_);
      ++count_;
      if (lane_index() == 0) store_flag<order>(announced_, count_);
    }

    __device__ uint32_t verify(uint32_t num_items) {
      const bool right = count_ == begin_ + num_items && load_flag<order>(awaited_) == count_ &&
                         load_flag<order>(announced_) == count_;
      return right ? 0 : wrong_count;
    }

   protected:
    uint32_t awaited_;
    uint32_t announced_;
    uint32_t lead_;
    uint32_t count_ = 0;
    uint32_t begin_ = 0;  // count_ at the start of the window
    Guard guard_;
  };

  class Producer : public Role {
   public:
    __device__ Producer(const LaunchPlan& plan, Shared& shared)
        : Role(plan, &shared.empty, &shared.full, 0) {}
    __device__ __forceinline__ void close() { this->wait(this->count_); }
  };

  class Consumer : public Role {
   public:
    __device__ Consumer(const LaunchPlan& plan, Shared& shared)
        : Role(plan, &shared.full, &shared.empty, 1) {}
    __device__ void close() {}
  };
};

}  // namespace independent
