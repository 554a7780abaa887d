; To the empty barrier of the producing CTA, or to those of all CTAs: lane n speaks to CTA n.
define internal void @{{r}}_release(i32 %slot) alwaysinline {
  {{ir_gather}}
  {{ir_fence}}
  %barrier = call ptr addrspace(3) @{{r}}_empty_barrier(i32 %slot)
  %rank = {{ir_to_rank}}
  %sends = {{ir_sends}}
  br i1 %sends, label %arrive, label %arrived
arrive:
  %remote = call ptr addrspace(7) @llvm.nvvm.mapa.shared.cluster(ptr addrspace(3) %barrier, i32 %rank)
  call void @llvm.nvvm.mbarrier.arrive{{ir_arrive_scope}}.space.cluster(ptr addrspace(7) %remote, i32 1)
  br label %arrived
arrived:
  ret void
}
define internal i1 @{{r}}_has_rank() alwaysinline {
  %lane = load i32, ptr @lane
  %size = load i32, ptr @cluster_size
  %has_rank = icmp ult i32 %lane, %size
  ret i1 %has_rank
}
