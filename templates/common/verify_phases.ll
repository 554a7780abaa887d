; Thread s reads barrier s of those that took part: complete up to the expected phase and not beyond it.
{{> read_back}}
{{#checks_phases}}
define internal i32 @verify() alwaysinline {
begin:
  %tid = load i32, ptr @tid
  %reads = icmp ult i32 %tid, 32
  br i1 %reads, label %look, label %verified
look:
  %has_one = icmp ult i32 %tid, {{checked_barriers}}
  br i1 %has_one, label %one, label %count
one:
  %offset = shl i32 %tid, 3
  %first = getelementptr i8, ptr addrspace(3) @pb_shared, i32 %offset
  %barrier = getelementptr i8, ptr addrspace(3) %first, i32 {{checked_offset}}
  %items = load i32, ptr @items
  %phase = {{#is.path.completing}}or i32 %items, 0{{/is.path.completing}}{{^is.path.completing}}or i32 0, 0{{/is.path.completing}}
  %wrong = call i1 @wrong_phase(ptr addrspace(3) %barrier, i32 %phase)
  br label %count
count:
  %bad = phi i1 [ false, %look ], [ %wrong, %one ]
  %counted = call i32 @count_wrong(i1 %bad)
  br label %verified
verified:
  %errors = phi i32 [ 0, %begin ], [ %counted, %count ]
  ret i32 %errors
}
{{/checks_phases}}
{{^checks_phases}}
define internal i32 @verify() alwaysinline {
  ret i32 0
}
{{/checks_phases}}
