define internal void @{{r}}_release(i32 %slot) alwaysinline {
{{#single_stage}}
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
{{/single_stage}}
  ret void
}
