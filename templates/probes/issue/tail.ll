; The last copies of every slot: the producer leaves when they have come.
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
define internal void @{{r}}_acquire_again(i32 %slot) alwaysinline {
  %barrier = call ptr addrspace(3) @{{r}}_full_barrier(i32 %slot)
  {{ir_take_state}}
  {{ir_keep_taken}}
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
  ret void
}
