; Every CTA has full barriers 0 .. num_stages - 1 and as many empty ones after them; the full ones of the consuming
; CTA and the empty ones of the producing CTA are used.
define internal void @init() alwaysinline {
begin:
  %tid = load i32, ptr @tid
  %none = icmp uge i32 %tid, {{barriers}}
  br i1 %none, label %initialised, label %barrier
barrier:
  %index = phi i32 [ %tid, %begin ], [ %next, %barrier ]
  %offset = shl i32 %index, 3
  %address = getelementptr i8, ptr addrspace(3) @pb_shared, i32 %offset
  %empty = icmp uge i32 %index, {{num_stages}}
  %arrivals = select i1 %empty, i32 {{empty_arrivals}}, i32 {{full_arrivals}}
  call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) %address, i32 %arrivals)
  %next = add i32 %index, {{threads}}
  %more = icmp ult i32 %next, {{barriers}}
  br i1 %more, label %barrier, label %published, !llvm.loop !0
published:
  call void @llvm.nvvm.fence.mbarrier_init.release.cluster()
  br label %initialised
initialised:
  ret void
}
