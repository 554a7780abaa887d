; The bytes are there. complete_tx is relaxed: the fence orders the payload before it.
define internal void @{{r}}_commit(i32 %slot) alwaysinline {
  %barrier = call ptr addrspace(3) @{{r}}_full_barrier(i32 %slot)
  {{ir_gather_bytes}}
  fence syncscope("{{ir_scope}}") acq_rel
  %first = {{ir_completes}}
  br i1 %first, label %complete, label %completed
complete:
  call void @llvm.nvvm.mbarrier.complete.tx.scope.{{scope}}.space.cta(ptr addrspace(3) %barrier, i32 {{completed_bytes}})
  br label %completed
completed:
  ret void
}
