; Release every slot once, so that the first lap's acquires find them empty. With turns, the first unit does it for all.
define internal void @{{r}}_prime() alwaysinline {
begin:
{{#turns_taken}}
  %unit = load i32, ptr @unit
  %other = icmp ne i32 %unit, 0
{{/turns_taken}}
{{^turns_taken}}
  %other = or i1 false, false
{{/turns_taken}}
  br i1 %other, label %primed, label %slot
slot:
  %id = phi i32 [ 2, %begin ], [ %next, %slot ]
  call void @llvm.nvvm.barrier.cta.arrive.aligned.count(i32 %id, i32 {{pair_threads}})
  %next = add i32 %id, 2
  %more = icmp ule i32 %next, {{last_empty_id}}
  br i1 %more, label %slot, label %primed, !llvm.loop !0
primed:
  ret void
}
