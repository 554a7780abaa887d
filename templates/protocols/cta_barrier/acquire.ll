; One slot: the consumer must be through with it before it is filled again. Unified warps: the one barrier of an item.
define internal void @{{r}}_acquire(i32 %slot) alwaysinline {
{{#crosses_first}}
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
{{/crosses_first}}
  ret void
}
