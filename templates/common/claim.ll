; One thread claims a ticket of the target SM for the CTA; CTAs elsewhere, and more than are meant to share the SM,
; leave.
{{#takes_load}}
{{> keep_busy}}
{{/takes_load}}
define internal void @claim(ptr %pb) alwaysinline {
  %tid = load i32, ptr @tid
  %first = icmp eq i32 %tid, 0
  br i1 %first, label %look, label %claimed
look:
  %here = call i32 @llvm.nvvm.read.ptx.sreg.smid()
  %wanted.at = getelementptr i8, ptr %pb, i32 {{pb.target_sm}}
  %wanted = load i32, ptr %wanted.at
  %other = icmp ne i32 %here, %wanted
  br i1 %other, label %write, label %take
take:
  %ticket.at = getelementptr i8, ptr %pb, i32 {{pb.ticket}}
  %ticket = load ptr addrspace(1), ptr %ticket.at
  %taken = atomicrmw add ptr addrspace(1) %ticket, i32 1 monotonic
  br label %write
write:
  %number = phi i32 [ 2147483647, %look ], [ %taken, %take ]
  %word = getelementptr i8, ptr addrspace(3) @pb_shared, i32 {{ticket_offset}}
  store volatile i32 %number, ptr addrspace(3) %word
  br label %claimed
claimed:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %said = getelementptr i8, ptr addrspace(3) @pb_shared, i32 {{ticket_offset}}
  %cta = load volatile i32, ptr addrspace(3) %said
  store i32 %cta, ptr @cta
{{^takes_load}}
  %late = icmp uge i32 %cta, {{ctas_per_sm}}
{{/takes_load}}
{{#takes_load}}
  %load.at = getelementptr i8, ptr %pb, i32 {{pb.load_ctas}}
  %load = load i32, ptr %load.at
  %ctas = add i32 %load, {{ctas_per_sm}}
  %late = icmp uge i32 %cta, %ctas
{{/takes_load}}
  call void @leave_if(i1 %late)
{{#takes_load}}
  call void @keep_busy(ptr %pb)
{{/takes_load}}
{{#several_ctas}}
  call void @gather_ctas(ptr %pb)
{{/several_ctas}}
  ret void
}
{{#several_ctas}}
; Every CTA of the SM starts only when all of them are there.
define internal void @gather_ctas(ptr %pb) alwaysinline {
  %ticket.at = getelementptr i8, ptr %pb, i32 {{pb.ticket}}
  %ticket = load ptr addrspace(1), ptr %ticket.at
  %since = call i64 @llvm.nvvm.read.ptx.sreg.globaltimer()
  %limit = load i64, ptr @guard_limit
  br label %gather
gather:
  %here = load volatile i32, ptr addrspace(1) %ticket
  %all = icmp uge i32 %here, {{ctas_per_sm}}
  br i1 %all, label %gathered, label %look
look:
  %now = call i64 @llvm.nvvm.read.ptx.sreg.globaltimer()
  %gone = sub i64 %now, %since
  %go = icmp ult i64 %gone, %limit
  br i1 %go, label %gather, label %alone
alone:
  call void @give_up()
  unreachable
gathered:
  ret void
}
{{/several_ctas}}
; The first thread says that the other CTAs did not come.
define internal void @give_up() alwaysinline {
  %tid = load i32, ptr @tid
  %other = icmp ne i32 %tid, 0
  call void @leave_if(i1 %other)
  %status = load ptr addrspace(1), ptr @status
  %who = getelementptr i8, ptr addrspace(1) %status, i32 4
  %cta = load i32, ptr @cta
  store i32 %cta, ptr addrspace(1) %who
  store i32 2, ptr addrspace(1) %status
  call void @llvm.nvvm.exit()
  unreachable
}
