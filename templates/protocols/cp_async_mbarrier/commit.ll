; The copies of this thread arrive when they have come.
define internal void @{{r}}_commit(i32 %slot) alwaysinline {
  %barrier = call ptr addrspace(3) @{{r}}_full_barrier(i32 %slot)
  call void @llvm.nvvm.cp.async.mbarrier.arrive{{ir_noinc}}.shared(ptr addrspace(3) %barrier)
{{#is.noinc.off}}
  ; That arrival was counted in as it was made: the phase still needs those it expects.
  {{ir_gather}}
  {{ir_fence}}
  %leads = {{ir_leads}}
  br i1 %leads, label %arrive, label %arrived
arrive:
  {{ir_arrive_others}}
  %state = {{ir_arrive}}
  br label %arrived
arrived:
{{/is.noinc.off}}
  ret void
}
