; Until the slot is full. The barrier is this CTA's own: no other can be waited on.
define internal void @{{r}}_wait(i32 %slot) alwaysinline {
  %barrier = call ptr addrspace(3) @{{r}}_full_barrier(i32 %slot)
  %parity = load i32, ptr @{{parity}}
  br label %wait
wait:
  %done = call i1 @llvm.nvvm.mbarrier.{{ir_try}}(ptr addrspace(3) %barrier, i32 %parity{{ir_hint}})
  br i1 %done, label %complete, label %again
again:
  {{ir_back_off}}
  br label %wait
complete:
  {{ir_fence}}
  ret void
}
