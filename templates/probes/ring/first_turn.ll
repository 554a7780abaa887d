; The first item is the first warpgroup's: the second one hands it the turn.
define internal void @{{r}}_first_turn() alwaysinline {
  %unit = load i32, ptr @unit
  %first = icmp eq i32 %unit, 0
  br i1 %first, label %begun, label %hand
hand:
  call void @llvm.nvvm.barrier.cta.arrive.aligned.count(i32 {{first_turn_barrier}}, i32 256)
  br label %begun
begun:
  ret void
}
