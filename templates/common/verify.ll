; Thread s reads what the words of slot s hold back: (items - s + num_stages - 1) / num_stages items have passed it. A
; barrier is complete up to the expected phase and not beyond it; a flag counts all arrivals of all its laps.
{{> read_back}}
{{#reads_back}}
define internal i1 @wrong_slot(i32 %slot) alwaysinline {
  %items = load i32, ptr @items
  %last = add i32 %items, {{stages_but_one}}
  %left = sub i32 %last, %slot
{{^single_ring_slot}}
  ; Division by a constant: exact below 2^27 items.
  %left.wide = zext i32 %left to i64
  %scaled = mul i64 %left.wide, u{{stages_reciprocal}}
  %high = lshr i64 %scaled, 32
  %passed = trunc i64 %high to i32
{{/single_ring_slot}}
{{#single_ring_slot}}
  %passed = add i32 %left, 0
{{/single_ring_slot}}
{{#waits_arrive}}
  ; Primed once, acquired once more by the tail.
  %released = add i32 %passed, 1
{{/waits_arrive}}
{{^waits_arrive}}
  %released = add i32 %passed, 0
{{/waits_arrive}}
  %offset = shl i32 %slot, 3
  %full = getelementptr i8, ptr addrspace(3) @pb_shared, i32 %offset
  %empty = getelementptr i8, ptr addrspace(3) %full, i32 {{empty_offset}}
{{#read_full}}
{{#read_phases}}
  %full.wrong = call i1 @wrong_phase(ptr addrspace(3) %full, i32 %passed)
{{/read_phases}}
{{#read_count}}
  %full.count = mul i32 %passed, {{read_arrivals}}
  %full.wrong = call i1 @wrong_count(ptr addrspace(3) %full, i32 %full.count)
{{/read_count}}
{{^read_phases}}
{{^read_count}}
  %full.wrong = or i1 false, false
{{/read_count}}
{{/read_phases}}
{{/read_full}}
{{#read_empty}}
{{#read_phases}}
  %empty.wrong = call i1 @wrong_phase(ptr addrspace(3) %empty, i32 %released)
{{/read_phases}}
{{#read_count}}
  %empty.count = mul i32 %released, {{read_arrivals}}
  %empty.wrong = call i1 @wrong_count(ptr addrspace(3) %empty, i32 %empty.count)
{{/read_count}}
{{^read_phases}}
{{^read_count}}
  %empty.wrong = or i1 false, false
{{/read_count}}
{{/read_phases}}
{{/read_empty}}
  %bad = or i1 %full.wrong, %empty.wrong
  ret i1 %bad
}
define internal i32 @verify() alwaysinline {
begin:
{{#second_warp_produces}}
  ; The first warp has left, and the second reads in its place.
  %thread = load i32, ptr @tid
  %tid = sub i32 %thread, {{first_thread}}
{{/second_warp_produces}}
{{^second_warp_produces}}
  %tid = load i32, ptr @tid
{{/second_warp_produces}}
  %reads = icmp ult i32 %tid, 32
  br i1 %reads, label %look, label %verified
look:
  %has_slot = icmp ult i32 %tid, {{num_stages}}
  br i1 %has_slot, label %slot, label %count
slot:
  %wrong = call i1 @wrong_slot(i32 %tid)
  br label %count
count:
  %bad = phi i1 [ false, %look ], [ %wrong, %slot ]
  %counted = call i32 @count_wrong(i1 %bad)
  br label %verified
verified:
  %errors = phi i32 [ 0, %begin ], [ %counted, %count ]
  ret i32 %errors
}
{{/reads_back}}
{{^reads_back}}
define internal i32 @verify() alwaysinline {
  ret i32 0
}
{{/reads_back}}
