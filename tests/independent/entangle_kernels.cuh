// Entangle: the lanes of one warp take branches of their own and arrive in their branch, against
// the same branches with the arrive behind them, after __syncwarp.
#pragma once

#include "barriers.cuh"

namespace independent {

// in_branch and after_syncwarp take the same indirect branch; only the place of the arrive differs.
// if_chain is the same source without a jump table: `if (group == 0) arrive; if (group == 1) ...`,
// and the compiler chooses how lanes get to their arrive (nvcc 13: a tree of compares).
enum class EntangleShape { in_branch, after_syncwarp, if_chain };

// Branches by jump table (brx.idx), because ptxas turns compare-and-branch around so short a body
// into predicates, and the lanes would never part. Each branch adds a number of its own to %0, else
// ptxas would merge the branches.
// clang-format off
#define INDEPENDENT_BRANCH(group, arrive) \
  "b" #group ": " arrive " add.u32 %0, %0, " #group "+1; bra join;\n\t"
#define INDEPENDENT_BRANCHES_2(arrive) \
  INDEPENDENT_BRANCH(0, arrive) INDEPENDENT_BRANCH(1, arrive)
#define INDEPENDENT_BRANCHES_4(arrive) \
  INDEPENDENT_BRANCHES_2(arrive) INDEPENDENT_BRANCH(2, arrive) INDEPENDENT_BRANCH(3, arrive)
#define INDEPENDENT_BRANCHES_32(arrive) \
  INDEPENDENT_BRANCHES_4(arrive) \
  INDEPENDENT_BRANCH(4, arrive) INDEPENDENT_BRANCH(5, arrive) \
  INDEPENDENT_BRANCH(6, arrive) INDEPENDENT_BRANCH(7, arrive) \
  INDEPENDENT_BRANCH(8, arrive) INDEPENDENT_BRANCH(9, arrive) \
  INDEPENDENT_BRANCH(10, arrive) INDEPENDENT_BRANCH(11, arrive) \
  INDEPENDENT_BRANCH(12, arrive) INDEPENDENT_BRANCH(13, arrive) \
  INDEPENDENT_BRANCH(14, arrive) INDEPENDENT_BRANCH(15, arrive) \
  INDEPENDENT_BRANCH(16, arrive) INDEPENDENT_BRANCH(17, arrive) \
  INDEPENDENT_BRANCH(18, arrive) INDEPENDENT_BRANCH(19, arrive) \
  INDEPENDENT_BRANCH(20, arrive) INDEPENDENT_BRANCH(21, arrive) \
  INDEPENDENT_BRANCH(22, arrive) INDEPENDENT_BRANCH(23, arrive) \
  INDEPENDENT_BRANCH(24, arrive) INDEPENDENT_BRANCH(25, arrive) \
  INDEPENDENT_BRANCH(26, arrive) INDEPENDENT_BRANCH(27, arrive) \
  INDEPENDENT_BRANCH(28, arrive) INDEPENDENT_BRANCH(29, arrive) \
  INDEPENDENT_BRANCH(30, arrive) INDEPENDENT_BRANCH(31, arrive)
#define INDEPENDENT_TARGETS_2 "b0, b1"
#define INDEPENDENT_TARGETS_4 INDEPENDENT_TARGETS_2 ", b2, b3"
#define INDEPENDENT_TARGETS_32 INDEPENDENT_TARGETS_4 \
  ", b4, b5, b6, b7, b8, b9, b10, b11, b12, b13, b14, b15, b16, b17" \
  ", b18, b19, b20, b21, b22, b23, b24, b25, b26, b27, b28, b29, b30, b31"
// clang-format on
#define INDEPENDENT_ARRIVE "mbarrier.arrive.shared::cta.b64 _, [%2];"
#define INDEPENDENT_JUMP(num_groups, arrive)                                                 \
  asm volatile(                                                                              \
      "{\n\ttargets: .branchtargets " INDEPENDENT_TARGETS_##num_groups                       \
      ";\n\tbrx.idx %1, targets;\n\t" INDEPENDENT_BRANCHES_##num_groups(arrive) "join:\n\t}" \
      : "+r"(mark)                                                                           \
      : "r"(group), "r"(barrier)                                                             \
      : "memory")

// All lanes jump by their group; with `arrives`, each arrives in its branch.
template <int NumGroups, bool arrives>
__device__ __forceinline__ void jump(uint32_t group, uint32_t barrier, uint32_t& mark) {
  if constexpr (NumGroups == 1) {
    if constexpr (arrives)
      asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
    mark += 1;
  } else if constexpr (NumGroups == 2) {
    if constexpr (arrives)
      INDEPENDENT_JUMP(2, INDEPENDENT_ARRIVE);
    else
      INDEPENDENT_JUMP(2, "");
  } else if constexpr (NumGroups == 4) {
    if constexpr (arrives)
      INDEPENDENT_JUMP(4, INDEPENDENT_ARRIVE);
    else
      INDEPENDENT_JUMP(4, "");
  } else {
    static_assert(NumGroups == 32);
    if constexpr (arrives)
      INDEPENDENT_JUMP(32, INDEPENDENT_ARRIVE);
    else
      INDEPENDENT_JUMP(32, "");
  }
}

template <int NumGroups, EntangleShape shape>
class Entangle {
 public:
  struct Shared {
    uint64_t barrier;
  };
  static __device__ void init(Shared& shared) { ptx::mbarrier_init(&shared.barrier, 32); }
  __device__ Entangle(const LaunchPlan& plan, Shared& shared)
      : barrier_(opaque(&shared.barrier, plan)),
        group_(lane_index() / (32 / NumGroups)),
        guard_(plan) {}

  __device__ void prepare() { mark_ = 0; }

  template <int Item>
  __device__ __forceinline__ void item() {
    if constexpr (shape == EntangleShape::in_branch) {
      jump<NumGroups, true>(group_, shared_address(barrier_), mark_);
    } else if constexpr (shape == EntangleShape::after_syncwarp) {
      jump<NumGroups, false>(group_, shared_address(barrier_), mark_);
      __syncwarp();
      ptx::mbarrier_arrive(barrier_);
    } else {
      chain(std::make_integer_sequence<int, NumGroups>{});
    }
    wait_parity<Wait::try_wait>(barrier_, Item & 1, guard_);
  }
  __device__ void close() {}
  __device__ uint32_t verify(uint32_t num_items) {
    const bool all_jumped = shape == EntangleShape::if_chain || mark_ == num_items * (group_ + 1);
    return verify_even_phase(barrier_) | (all_jumped ? 0 : wrong_count);
  }

 private:
  template <int... Groups>
  __device__ __forceinline__ void chain(std::integer_sequence<int, Groups...>) {
    ((group_ == Groups ? arrive_of<Groups>() : void()), ...);
  }

  // The group's number in the text keeps the compiler from merging the arrives into one.
  template <int Group>
  __device__ __forceinline__ void arrive_of() {
    asm volatile(
        "mbarrier.arrive.shared::cta.b64 _, [%0]; // group %1" ::"r"(shared_address(barrier_)),
        "n"(Group)
        : "memory");
  }

  uint64_t* barrier_;
  uint32_t group_;
  uint32_t mark_ = 0;
  Guard guard_;
};

}  // namespace independent
