// Figures between the CTAs of a cluster: a token between rank 0 and a peer, and barrier.cluster.
#pragma once

#include "barriers.cuh"

namespace independent {

enum class Order { ordered, relaxed };  // ordered: release for an arrive, acquire for a wait

__device__ inline void cluster_sync() {
  ptx::barrier_cluster_arrive();
  ptx::barrier_cluster_wait();
}

template <Order order>
__device__ __forceinline__ void wait_cluster(uint64_t* barrier, uint32_t parity, Guard& guard) {
  guard.begin();
  if constexpr (order == Order::ordered) {
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, barrier, parity)) {
      guard.poll(shared_address(barrier), parity);
    }
  } else {
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_relaxed, ptx::scope_cluster, barrier, parity)) {
      guard.poll(shared_address(barrier), parity);
    }
  }
}

template <Order order>
__device__ __forceinline__ void arrive_remote(uint64_t* barrier) {
  if constexpr (order == Order::ordered) {
    ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, barrier);
  } else {
    ptx::mbarrier_arrive(ptx::sem_relaxed, ptx::scope_cluster, ptx::space_cluster, barrier);
  }
}

// One side of the hand-off. Each waits on a barrier of its own CTA and arrives on the other's:
// the producer (rank 0) holds empty_barrier, the peer holds full_barrier. The producer waits on
// parity ^ 1, so a fresh barrier lets it begin.
template <Order arrive_order, Order wait_order, Arrivers arrivers, bool is_producer>
class ClusterSide {
 public:
  __device__ ClusterSide(const LaunchPlan& plan, uint64_t* local, uint32_t other_rank)
      : local_(opaque(local, plan)),
        remote_(static_cast<uint64_t*>(__cluster_map_shared_rank(local_, other_rank))),
        guard_(plan) {}

  __device__ void prepare() {}
  template <int Item>
  __device__ __forceinline__ void item() {
    wait_cluster<wait_order>(local_, (Item & 1) ^ (is_producer ? 1 : 0), guard_);
    if constexpr (arrivers == Arrivers::every_thread) {
      arrive_remote<arrive_order>(remote_);
    } else {
      __syncwarp();
      if (lane_index() == 0) arrive_remote<arrive_order>(remote_);
    }
  }
  __device__ __forceinline__ void close() {
    if constexpr (is_producer) wait_cluster<wait_order>(local_, 1, guard_);
  }
  __device__ uint32_t verify(uint32_t) { return verify_even_phase(local_); }

 private:
  uint64_t* local_;
  uint64_t* remote_;
  Guard guard_;
};

// A cluster is taken by its index; the others hold their SMs until it has started.
__device__ inline bool claim_cluster(const LaunchPlan& plan) {
  const uint32_t index = ptx::get_sreg_clusterid_x();
  const uint32_t rank = ptx::get_sreg_cluster_ctarank();
  if (!claim(plan, index == plan.cluster_index, rank == 0)) return false;
  if (threadIdx.x == 0) plan.report->sm[rank] = ptx::get_sreg_smid();
  return true;
}

template <Order arrive_order, Order wait_order, Arrivers arrivers, int BodyItems>
__global__ void __launch_bounds__(32) measure_cluster(const __grid_constant__ LaunchPlan plan) {
  __shared__ uint64_t barrier;
  if (!claim_cluster(plan)) return;
  const uint32_t rank = ptx::get_sreg_cluster_ctarank();
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&barrier, expected_arrivals(arrivers, 32));
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  }
  cluster_sync();
  if (rank == 0) {
    ClusterSide<arrive_order, wait_order, arrivers, true> producer(plan, &barrier, plan.peer);
    run_windows<BodyItems>(plan, producer, 0, threadIdx.x == 0, [] { cluster_sync(); });
  } else if (rank == plan.peer) {
    ClusterSide<arrive_order, wait_order, arrivers, false> consumer(plan, &barrier, 0);
    run_windows<BodyItems>(plan, consumer, 1, false, [] { cluster_sync(); });
  } else {
    // A bystander sleeps in barrier.cluster while the window runs.
    const uint32_t num_syncs = 2 * (plan.num_samples * num_lengths + 1);
#pragma unroll 1
    for (uint32_t i = 0; i < num_syncs; ++i) cluster_sync();
  }
  cluster_sync();  // nobody leaves while an arrive may still be on its way to it
}

// barrier.cluster.arrive and .wait by all threads of all CTAs, one warp a CTA.
template <Order arrive_order>
class ClusterBarrier {
 public:
  __device__ void prepare() {}
  template <int>
  __device__ __forceinline__ void item() {
    if constexpr (arrive_order == Order::ordered) {
      ptx::barrier_cluster_arrive();
    } else {
      ptx::barrier_cluster_arrive(ptx::sem_relaxed);
    }
    ptx::barrier_cluster_wait();
  }
  __device__ void close() {}
  __device__ uint32_t verify(uint32_t) { return 0; }
};

// The cluster's size is part of the kernel: for a size known only at launch ptxas tests before each
// operation whether there is a cluster at all, inside the window.
template <int ClusterSize, Order arrive_order, int BodyItems>
__global__ void __cluster_dims__(ClusterSize) __launch_bounds__(32)
    measure_cluster_barrier(const __grid_constant__ LaunchPlan plan) {
  if (!claim_cluster(plan)) return;
  const uint32_t rank = ptx::get_sreg_cluster_ctarank();
  cluster_sync();
  ClusterBarrier<arrive_order> role;
  run_windows<BodyItems>(plan, role, rank, rank == 0 && threadIdx.x == 0, [] { cluster_sync(); });
  cluster_sync();
}

}  // namespace independent
