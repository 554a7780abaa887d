; To the full barrier of the consuming CTA.
define internal void @{{r}}_commit(i32 %slot) alwaysinline {
  {{ir_gather}}
  {{ir_fence}}
  %barrier = call ptr addrspace(3) @{{r}}_full_barrier(i32 %slot)
  %peer = load i32, ptr @peer
  %leads = {{ir_leads}}
  br i1 %leads, label %arrive, label %arrived
arrive:
  %remote = call ptr addrspace(7) @llvm.nvvm.mapa.shared.cluster(ptr addrspace(3) %barrier, i32 %peer)
  call void @llvm.nvvm.mbarrier.arrive{{ir_arrive_scope}}.space.cluster(ptr addrspace(7) %remote, i32 1)
  br label %arrived
arrived:
  ret void
}
