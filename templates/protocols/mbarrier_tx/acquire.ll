; Until the slot is empty; then the arrival on the full barrier announces the bytes.
define internal void @{{r}}_acquire(i32 %slot) alwaysinline {
  %barrier = call ptr addrspace(3) @{{r}}_empty_barrier(i32 %slot)
  %skips = {{ir_skips}}
  br i1 %skips, label %ready, label %own
own:
  {{ir_own_arrival}}
  {{ir_keep_state}}
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
  br label %ready
ready:
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
