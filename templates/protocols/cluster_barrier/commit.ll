; Nothing is initialised: the barrier of the cluster belongs to the hardware.
define internal void @{{r}}_commit(i32 %slot) alwaysinline {
  call void @llvm.nvvm.barrier.cluster.arrive{{ir_relaxed}}{{aligned_word}}()
  ret void
}
