; A producer that waits by state also arrives on the empty barrier, so a fresh barrier does not count as released:
; release every slot once. With turns, the first unit does it for all.
define internal void @{{r}}_prime() alwaysinline {
{{#waits_arrive}}
begin:
  %unit = load i32, ptr @unit
  %last_unit = {{#turns_taken}}or i32 0, 0{{/turns_taken}}{{^turns_taken}}or i32 -1, 0{{/turns_taken}}
  %later_unit = icmp ugt i32 %unit, %last_unit
  %first = getelementptr i8, ptr addrspace(3) @pb_shared, i32 {{empty_offset}}
  %leads = {{ir_leads}}
  br i1 %later_unit, label %primed, label %slot
slot:
  %number = phi i32 [ 0, %begin ], [ %next, %arrived ]
  %offset = shl i32 %number, 3
  %barrier = getelementptr i8, ptr addrspace(3) %first, i32 %offset
  {{ir_gather}}
  {{ir_fence}}
  br i1 %leads, label %arrive, label %arrived
arrive:
  {{ir_arrive_others}}
  %state = {{ir_arrive}}
  br label %arrived
arrived:
  %next = add i32 %number, 1
  %more = icmp ult i32 %next, {{num_stages}}
  br i1 %more, label %slot, label %primed, !llvm.loop !0
primed:
{{/waits_arrive}}
  ret void
}
