define internal void @{{r}}_wait(i32 %slot) alwaysinline {
  %own = load i32, ptr @{{slot_register}}
  %at = add i32 %own, %slot
  %pair = shl i32 %at, 1
  %id = add i32 %pair, 1
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 %id, i32 {{pair_threads}})
  ret void
}
