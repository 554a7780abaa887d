; The tail's other side.
define internal void @{{r}}_leave() alwaysinline {
{{^single_stage}}
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
{{/single_stage}}
  ret void
}
