; What every kernel does before its roles: read the parameter block, claim the SM, number the warps.
{{> registers}}
{{> claim}}
define internal void @leave_if(i1 %leaves) alwaysinline {
  br i1 %leaves, label %leave, label %stay
leave:
  call void @llvm.nvvm.exit()
  unreachable
stay:
  ret void
}
define internal void @read_parameters(ptr %pb) alwaysinline {
  %items.at = getelementptr i8, ptr %pb, i32 {{pb.items}}
  %items = load i32, ptr %items.at
  store i32 %items, ptr @items
  %samples.at = getelementptr i8, ptr %pb, i32 {{pb.samples}}
  %samples = load ptr addrspace(1), ptr %samples.at
  store ptr addrspace(1) %samples, ptr @samples
  %status.at = getelementptr i8, ptr %pb, i32 {{pb.status}}
  %status = load ptr addrspace(1), ptr %status.at
  store ptr addrspace(1) %status, ptr @status
  %out.at = getelementptr i8, ptr %pb, i32 {{pb.payload_out}}
  %out = load ptr addrspace(1), ptr %out.at
  store ptr addrspace(1) %out, ptr @payload_out
  %work.at = getelementptr i8, ptr %pb, i32 {{pb.work_amount}}
  %work = load i32, ptr %work.at
  store i32 %work, ptr @work_amount
  %seed.at = getelementptr i8, ptr %pb, i32 {{pb.seed}}
  %seed = load i32, ptr %seed.at
  store i32 %seed, ptr @seed
  %zero.at = getelementptr i8, ptr %pb, i32 {{pb.zero}}
  %zero = load i32, ptr %zero.at
  store i32 %zero, ptr @zero
  %limit.at = getelementptr i8, ptr %pb, i32 {{pb.guard_limit_ns}}
  %limit = load i64, ptr %limit.at
  store i64 %limit, ptr @guard_limit
  ret void
}
; Warps that leave at once only shift the others over the sub-partitions: those below first_warp, and a gap.
define internal void @number_warps(ptr %pb) alwaysinline {
  %first.at = getelementptr i8, ptr %pb, i32 {{pb.first_warp}}
  %first = load i32, ptr %first.at
  %after.at = getelementptr i8, ptr %pb, i32 {{pb.gap_after}}
  %after.warps = load i16, ptr %after.at
  %gap.at = getelementptr i8, ptr %pb, i32 {{pb.gap_warps}}
  %gap.warps = load i16, ptr %gap.at
  %first.threads = shl i32 %first, 5
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %early = icmp ult i32 %thread, %first.threads
  call void @leave_if(i1 %early)
  %tid = sub i32 %thread, %first.threads
  %after.wide = zext i16 %after.warps to i32
  %after = shl i32 %after.wide, 5
  %gap.wide = zext i16 %gap.warps to i32
  %gap = shl i32 %gap.wide, 5
  %behind = icmp uge i32 %tid, %after
  %moved = sub i32 %tid, %gap
  %here = select i1 %behind, i32 %moved, i32 %tid
  %in_gap = icmp slt i32 %here, %after
  %idle = and i1 %behind, %in_gap
  call void @leave_if(i1 %idle)
  store i32 %here, ptr @tid
  %lane = and i32 %here, 31
  store i32 %lane, ptr @lane
  %warp = lshr i32 %here, 5
  store i32 %warp, ptr @warp
  ; Different in each lane, so that the chain stays off the uniform datapath.
  %chain = uitofp i32 %lane to float
  store float %chain, ptr @chain
  ret void
}
define internal void @prologue(ptr %pb) alwaysinline {
  call void @read_parameters(ptr %pb)
  call void @number_warps(ptr %pb)
  call void @claim(ptr %pb)
  ret void
}
