; Until the empty flag counts the arrivals of this lap.
; It cannot count more: those of the next lap come after what this role does now.
define internal void @{{r}}_acquire(i32 %slot) alwaysinline {
  %flag = call ptr addrspace(3) @{{r}}_empty_barrier(i32 %slot)
  %lap = load i32, ptr @{{lap}}
  %arrived = mul i32 %lap, {{awaited_arrivals}}
  %expected = add i32 %arrived, {{awaited_first}}
  %looks = {{ir_looks}}
  br i1 %looks, label %look, label %counted
look:
  %value = {{ir_look}}
  %done = icmp eq i32 %value, %expected
  br i1 %done, label %counted, label %again
again:
  {{ir_back_off}}
  br label %look
counted:
  {{ir_together}}
  {{ir_order_after}}
  ret void
}
