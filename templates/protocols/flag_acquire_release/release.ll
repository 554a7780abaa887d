; The slot is empty: one arrival more.
define internal void @{{r}}_release(i32 %slot) alwaysinline {
  %flag = call ptr addrspace(3) @{{r}}_empty_barrier(i32 %slot)
  {{ir_gather}}
  {{ir_order_before}}
  %leads = {{ir_leads}}
  br i1 %leads, label %arrive, label %arrived
arrive:
  %lap = load i32, ptr @{{lap}}
  %value = add i32 %lap, 1
  {{ir_arrive}}
  br label %arrived
arrived:
  ret void
}
