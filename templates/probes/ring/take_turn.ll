; Until the other warpgroup has issued its work.
define internal void @{{r}}_take_turn() alwaysinline {
  %unit = load i32, ptr @unit
  %turn = add i32 %unit, {{first_turn_barrier}}
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 %turn, i32 256)
  ret void
}
