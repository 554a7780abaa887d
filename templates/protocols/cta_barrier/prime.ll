; The first acquire finds the slot released.
define internal void @{{r}}_prime() alwaysinline {
{{#one_slot}}
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
{{/one_slot}}
  ret void
}
