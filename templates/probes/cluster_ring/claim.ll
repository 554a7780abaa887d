; The grid is one cluster, wherever the GPU has put it: no ticket, and a CTA is its rank.
@cluster_size = internal thread_local global i32 0
define internal void @claim(ptr %pb) alwaysinline {
  %cta = call i32 @llvm.nvvm.read.ptx.sreg.cluster.ctarank()
  store i32 %cta, ptr @cta
  %size = call i32 @llvm.nvvm.read.ptx.sreg.cluster.nctarank()
  store i32 %size, ptr @cluster_size
  %tid = load i32, ptr @tid
  %other = icmp ne i32 %tid, 0
  br i1 %other, label %claimed, label %clear
clear:
  ; Where the barriers in the wrong phase are added up.
  %word = getelementptr i8, ptr addrspace(3) @pb_shared, i32 {{ticket_offset}}
  store volatile i32 0, ptr addrspace(3) %word
  br label %claimed
claimed:
  ret void
}
