define internal void @{{r}}_wait(i32 %slot) alwaysinline {
  call void @llvm.nvvm.barrier.cluster.wait{{aligned_word}}()
  ret void
}
