; Until the copies that this warp made into the slot have come; then the arrival announces the next.
define internal void @{{r}}_acquire(i32 %slot) alwaysinline {
  %barrier = call ptr addrspace(3) @{{r}}_full_barrier(i32 %slot)
  %parity = load i32, ptr @{{parity}}
  %phase = load i64, ptr @{{r}}_state
  br label %wait
wait:
  %done = call i1 @llvm.nvvm.mbarrier.{{ir_try}}(ptr addrspace(3) %barrier, {{ir_operand}})
  br i1 %done, label %complete, label %again
again:
  {{ir_back_off}}
  br label %wait
complete:
  {{ir_fence}}
  %full = call ptr addrspace(3) @{{r}}_full_barrier(i32 %slot)
  %leads = {{ir_leads}}
  br i1 %leads, label %announce, label %announced
announce:
  {{ir_expect}}
  %state.full = {{ir_announce}}
  br label %announced
announced:
  ret void
}
