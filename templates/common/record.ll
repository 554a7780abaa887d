; After the roles: every slice writes its record, every consumer its checksum.
{{> verify}}
define internal void @record(ptr %pb) alwaysinline {
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %tid = load i32, ptr @tid
{{#takes_load}}
  %first = icmp eq i32 %tid, {{first_thread}}
  br i1 %first, label %stop, label %go
stop:
  ; The load may stop.
  %ticket.at = getelementptr i8, ptr %pb, i32 {{pb.ticket}}
  %ticket = load ptr addrspace(1), ptr %ticket.at
  %done = getelementptr i8, ptr addrspace(1) %ticket, i32 8
  store volatile i32 1, ptr addrspace(1) %done
  br label %go
go:
{{/takes_load}}
  %errors = call i32 @verify()
  %cta = load i32, ptr @cta
  %before = mul i32 %cta, {{threads}}
  %thread = add i32 %before, %tid
  %out = load ptr addrspace(1), ptr @payload_out
  %sum.at = getelementptr i32, ptr addrspace(1) %out, i32 %thread
  %checksum = load i32, ptr @checksum
  store i32 %checksum, ptr addrspace(1) %sum.at
  %lane = load i32, ptr @lane
{{#is.granularity.even_odd_lanes}}
  %other = icmp ugt i32 %lane, 1
{{/is.granularity.even_odd_lanes}}
{{^is.granularity.even_odd_lanes}}
  %other = icmp ne i32 %lane, 0
{{/is.granularity.even_odd_lanes}}
  call void @leave_if(i1 %other)
  ; Record 2 * warp, or 2 * warp + 1 for the odd half of a split warp: then lane is 1.
  %warps = mul i32 %cta, {{warps}}
  %warp = load i32, ptr @warp
  %number = add i32 %warps, %warp
  %pair = shl i32 %number, 1
  %index = add i32 %pair, %lane
  %samples = load ptr addrspace(1), ptr @samples
  %record = getelementptr [64 x i8], ptr addrspace(1) %samples, i32 %index
  call void @write_record(ptr addrspace(1) %record, i32 %errors)
  ret void
}
define internal void @write_record(ptr addrspace(1) %record, i32 %errors) alwaysinline {
  %started = load i64, ptr @clock_start
  store i64 %started, ptr addrspace(1) %record
  %ended.at = getelementptr i8, ptr addrspace(1) %record, i32 8
  %ended = load i64, ptr @clock_end
  store i64 %ended, ptr addrspace(1) %ended.at
  %from.at = getelementptr i8, ptr addrspace(1) %record, i32 16
  %from = load i64, ptr @timer_start
  store i64 %from, ptr addrspace(1) %from.at
  %to.at = getelementptr i8, ptr addrspace(1) %record, i32 24
  %to = load i64, ptr @timer_end
  store i64 %to, ptr addrspace(1) %to.at
  %handled.at = getelementptr i8, ptr addrspace(1) %record, i32 32
  %handled = load i32, ptr @handled
  store i32 %handled, ptr addrspace(1) %handled.at
  %role.at = getelementptr i8, ptr addrspace(1) %record, i32 36
  %role = load i32, ptr @role
  store i32 %role, ptr addrspace(1) %role.at
  %warpid.at = getelementptr i8, ptr addrspace(1) %record, i32 40
  %warpid = call i32 @llvm.nvvm.read.ptx.sreg.warpid()
  store i32 %warpid, ptr addrspace(1) %warpid.at
  %sm.at = getelementptr i8, ptr addrspace(1) %record, i32 44
  %sm = call i32 @llvm.nvvm.read.ptx.sreg.smid()
  store i32 %sm, ptr addrspace(1) %sm.at
  ; The first slice's record says how many barriers were read back.
  %errors.at = getelementptr i8, ptr addrspace(1) %record, i32 48
  store i32 %errors, ptr addrspace(1) %errors.at
  %tid = load i32, ptr @tid
  %first = icmp eq i32 %tid, {{first_thread}}
  %checked = select i1 %first, i32 {{phases_checked}}, i32 0
  %checked.at = getelementptr i8, ptr addrspace(1) %record, i32 52
  store i32 %checked, ptr addrspace(1) %checked.at
  ret void
}
