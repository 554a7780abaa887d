; Flags 0 .. num_stages - 1 say full, the next num_stages say empty. All count from 0.
define internal void @init() alwaysinline {
begin:
  %tid = load i32, ptr @tid
  %none = icmp uge i32 %tid, {{barriers}}
  br i1 %none, label %initialised, label %barrier
barrier:
  %index = phi i32 [ %tid, %begin ], [ %next, %barrier ]
  %offset = shl i32 %index, 3
  %address = getelementptr i8, ptr addrspace(3) @pb_shared, i32 %offset
  store i32 0, ptr addrspace(3) %address
  %next = add i32 %index, {{threads}}
  %more = icmp ult i32 %next, {{barriers}}
  br i1 %more, label %barrier, label %initialised, !llvm.loop !0
initialised:
  ret void
}
