; Leave only when the last item is read.
define internal void @{{r}}_tail() alwaysinline {
{{#specialised}}
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
{{/specialised}}
  ret void
}
