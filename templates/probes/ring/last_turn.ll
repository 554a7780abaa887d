; The turn after the last item is taken too: of an odd number of items by the second warpgroup, else by the first.
define internal void @{{r}}_last_turn() alwaysinline {
  %unit = load i32, ptr @unit
  %items = load i32, ptr @items
  %odd = and i32 %items, 1
  %mine = icmp eq i32 %odd, %unit
  br i1 %mine, label %take, label %ended
take:
  %turn = add i32 %unit, {{first_turn_barrier}}
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 %turn, i32 256)
  br label %ended
ended:
  ret void
}
