; No thread reaches into another CTA before it runs and has set up its barriers, and none leaves before all are done.
; The guarded build counts arrivals at each of these, as to every barrier.
define internal void @gather() alwaysinline {
  call void @llvm.nvvm.barrier.cluster.arrive()
  call void @llvm.nvvm.barrier.cluster.wait()
  ret void
}
