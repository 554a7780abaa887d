; Later than the others by a spin: the consumers, or of warps that do both each one more than the one before. It is what
; must not matter to a figure. `one` is 1, which no compiler can know.
define internal void @start_offset(ptr %pb) alwaysinline {
begin:
  %turns.at = getelementptr i8, ptr %pb, i32 {{pb.start_offset}}
  %given = load i32, ptr %turns.at
{{#is.roles.unified}}
  %warp = load i32, ptr @warp
  %turns = mul i32 %given, %warp
{{/is.roles.unified}}
{{^is.roles.unified}}
  %turns = add i32 %given, 0
{{/is.roles.unified}}
  %zero = load i32, ptr @zero
  %one = add i32 %zero, 1
  br label %spin
spin:
  %now = phi i32 [ %turns, %begin ], [ %next, %spin ]
  %next = sub i32 %now, %one
  %more = icmp sge i32 %next, 0
  br i1 %more, label %spin, label %spun
spun:
  %never = icmp slt i32 %next, -1
  call void @leave_if(i1 %never)
  ret void
}
