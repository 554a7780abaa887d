; The slot is empty.
define internal void @{{r}}_release(i32 %slot) alwaysinline {
  %barrier = call ptr addrspace(3) @{{r}}_empty_barrier(i32 %slot)
  {{ir_gather}}
  {{ir_fence}}
  %leads = {{ir_leads}}
  br i1 %leads, label %arrive, label %arrived
arrive:
  {{ir_arrive_others}}
  %state = {{ir_arrive}}
  br label %arrived
arrived:
  ret void
}
