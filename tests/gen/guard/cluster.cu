// Barriers of another CTA of the cluster, and the cluster's own.
#include <cstdint>

#include <cooperative_groups.h>

extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster(int* out, int items) {
  __shared__ uint64_t barrier;
  const uint32_t mine = static_cast<uint32_t>(__cvta_generic_to_shared(&barrier));
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(mine));
  cooperative_groups::this_cluster().sync();
  uint32_t other, rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(other) : "r"(mine), "r"(rank ^ 1));
  for (int item = 0; item < items; ++item) {
    if (threadIdx.x == 0)
      asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(other)
                   : "memory");
    asm volatile(
        "{\n"
        ".reg .pred done;\n"
        "L_wait:\n"
        "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n"
        "@!done bra L_wait;\n"
        "}\n" ::"r"(mine),
        "r"(item & 1)
        : "memory");
  }
  cooperative_groups::this_cluster().sync();
  out[threadIdx.x] = items;
}
