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
define internal void @{{r}}_acquire_again(i32 %slot) alwaysinline {
  %own = load i32, ptr @{{slot_register}}
  %at = add i32 %own, %slot
  %pair = shl i32 %at, 1
  %id = add i32 %pair, 2
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 %id, i32 {{pair_threads}})
  ret void
}
