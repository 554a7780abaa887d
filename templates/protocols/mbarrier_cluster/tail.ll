; Acquire every slot once more: the producer is through when all of them are released.
define internal void @{{r}}_tail() alwaysinline {
  %items = load i32, ptr @items
  %last = add i32 %items, {{num_stages}}
  br label %lap
lap:
{{#slots}}
  call void @{{r}}_acquire_again(i32 {{slot_offset}})
  call void @{{r}}_advance()
{{/slots}}
  %now = load i32, ptr @{{item}}
  %more = icmp ult i32 %now, %last
  br i1 %more, label %lap, label %left, !llvm.loop !0
left:
  ret void
}
define internal void @{{r}}_acquire_again(i32 %slot) alwaysinline {
  %barrier = call ptr addrspace(3) @{{r}}_empty_barrier(i32 %slot)
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
