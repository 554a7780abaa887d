; Acquire every slot once more: the producer leaves when all of them are released.
define internal void @{{r}}_tail() alwaysinline {
  %items = load i32, ptr @items
  %last = add i32 %items, {{num_stages}}
  %item = load i32, ptr @{{item}}
  %none = icmp uge i32 %item, %last
  br i1 %none, label %left, label %lap
lap:
{{#slots}}
  call void @{{r}}_acquire_again(i32 {{slot_offset}})
  call void @{{r}}_advance()
{{/slots}}
  call void @{{r}}_advance_lap()
  %now = load i32, ptr @{{item}}
  %more = icmp ult i32 %now, %last
  br i1 %more, label %lap, label %left, !llvm.loop !0
left:
  ret void
}
; Until the empty flag counts the arrivals of this lap.
; It cannot count more: those of the next lap come after what this role does now.
define internal void @{{r}}_acquire_again(i32 %slot) alwaysinline {
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
