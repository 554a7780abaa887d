; The last arrival: it counts for this phase, and no later one waits for it.
define internal void @{{r}}_quit(i32 %slot) alwaysinline {
  %barrier = call ptr addrspace(3) @{{r}}_empty_barrier(i32 %slot)
  {{ir_gather_warp}}
  {{ir_fence}}
  %leads = {{ir_leads}}
  br i1 %leads, label %arrive, label %arrived
arrive:
  %state = {{ir_arrive_drop}}
  br label %arrived
arrived:
  ret void
}
