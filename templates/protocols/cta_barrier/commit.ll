define internal void @{{r}}_commit(i32 %slot) alwaysinline {
{{#crosses_filled}}
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
{{/crosses_filled}}
  ret void
}
