; After the roles. Each CTA reads its own barriers back and adds those in the wrong phase up in the first CTA,
; whose first record says so.
{{> verify}}
define internal void @add_errors() alwaysinline {
  %errors = call i32 @verify()
  %tid = load i32, ptr @tid
  %other = icmp ne i32 %tid, 0
  br i1 %other, label %counted, label %count
count:
  %word = getelementptr i8, ptr addrspace(3) @pb_shared, i32 {{ticket_offset}}
  %there = call ptr addrspace(7) @llvm.nvvm.mapa.shared.cluster(ptr addrspace(3) %word, i32 0)
  %before = atomicrmw add ptr addrspace(7) %there, i32 %errors syncscope("cluster") monotonic
  br label %counted
counted:
  ret void
}
define internal void @record(ptr %pb) alwaysinline {
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  call void @gather()
  call void @add_errors()
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  call void @gather()
  %cluster = call i32 @llvm.nvvm.read.ptx.sreg.clusterid.x()
  %is.load = icmp ne i32 %cluster, 0
  call void @leave_if(i1 %is.load)
  %cta = load i32, ptr @cta
  %tid = load i32, ptr @tid
  %before = mul i32 %cta, {{threads}}
  %thread = add i32 %before, %tid
  %out = load ptr addrspace(1), ptr @payload_out
  %sum.at = getelementptr i32, ptr addrspace(1) %out, i32 %thread
  %checksum = load i32, ptr @checksum
  store i32 %checksum, ptr addrspace(1) %sum.at
  %lane = load i32, ptr @lane
  %other = icmp ne i32 %lane, 0
  call void @leave_if(i1 %other)
  %warps = mul i32 %cta, {{warps}}
  %warp = load i32, ptr @warp
  %number = add i32 %warps, %warp
  %index = shl i32 %number, 1
  %samples = load ptr addrspace(1), ptr @samples
  %record = getelementptr [64 x i8], ptr addrspace(1) %samples, i32 %index
  call void @write_record(ptr addrspace(1) %record)
  ret void
}
define internal void @write_record(ptr addrspace(1) %record) alwaysinline {
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
  ; The first record of the first CTA says how many barriers were read back.
  %tid = load i32, ptr @tid
  %later = icmp ne i32 %tid, 0
  call void @leave_if(i1 %later)
  %cta = load i32, ptr @cta
  %elsewhere = icmp ne i32 %cta, 0
  call void @leave_if(i1 %elsewhere)
  %word = getelementptr i8, ptr addrspace(3) @pb_shared, i32 {{ticket_offset}}
  %errors = load volatile i32, ptr addrspace(3) %word
  %errors.at = getelementptr i8, ptr addrspace(1) %record, i32 48
  store i32 %errors, ptr addrspace(1) %errors.at
  %checked = or i32 {{#reads_back}}{{phases_checked}}{{/reads_back}}{{^reads_back}}0{{/reads_back}}, 0
  %checked.at = getelementptr i8, ptr addrspace(1) %record, i32 52
  store i32 %checked, ptr addrspace(1) %checked.at
  ret void
}
