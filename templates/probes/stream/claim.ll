; One thread claims a place on its SM for the CTA: CTA k of SM s is number s * {{ctas_per_sm}} + k. CTAs of other SMs
; leave, and so do more than are meant to share one.
define internal void @claim(ptr %pb) alwaysinline {
  %tid = load i32, ptr @tid
  %first = icmp eq i32 %tid, 0
  br i1 %first, label %look, label %claimed
look:
  %here = call i32 @llvm.nvvm.read.ptx.sreg.smid()
  %sms.at = getelementptr i8, ptr %pb, i32 {{pb.load_ctas}}
  %sms = load i32, ptr %sms.at
  %other = icmp uge i32 %here, %sms
  br i1 %other, label %write, label %take
take:
  %places = load ptr addrspace(1), ptr @places
  %counter = getelementptr i32, ptr addrspace(1) %places, i32 %here
  %place = atomicrmw add ptr addrspace(1) %counter, i32 1 monotonic
  %late = icmp uge i32 %place, {{ctas_per_sm}}
  br i1 %late, label %write, label %keep
keep:
  %before = mul i32 %here, {{ctas_per_sm}}
  %own = add i32 %before, %place
  %ticket.at = getelementptr i8, ptr %pb, i32 {{pb.ticket}}
  %ticket = load ptr addrspace(1), ptr %ticket.at
  %taken = atomicrmw add ptr addrspace(1) %ticket, i32 1 monotonic
  br label %write
write:
  %number = phi i32 [ 2147483647, %look ], [ 2147483647, %take ], [ %own, %keep ]
  %word = getelementptr i8, ptr addrspace(3) @pb_shared, i32 {{ticket_offset}}
  store volatile i32 %number, ptr addrspace(3) %word
  br label %claimed
claimed:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %said = getelementptr i8, ptr addrspace(3) @pb_shared, i32 {{ticket_offset}}
  %cta = load volatile i32, ptr addrspace(3) %said
  store i32 %cta, ptr @cta
  %leaves = icmp eq i32 %cta, 2147483647
  call void @leave_if(i1 %leaves)
  ret void
}
