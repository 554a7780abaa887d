; As common/verify, in each CTA: the full barriers of the consuming CTA and the empty ones of the producing CTA (or of
; all) have passed their items; those that are not used stay at 0.
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
  %offset = shl i32 %slot, 3
  %full = getelementptr i8, ptr addrspace(3) @pb_shared, i32 %offset
  %empty = getelementptr i8, ptr addrspace(3) %full, i32 {{empty_offset}}
  %cta = load i32, ptr @cta
  %second = load i32, ptr @second_rank
  %consumes = icmp eq i32 %cta, %second
  %full.phase = select i1 %consumes, i32 %passed, i32 0
  %first = load i32, ptr @first_rank
  %produces = icmp eq i32 %cta, %first
{{#empty_in_all}}
  %empty.phase = add i32 %passed, 0
{{/empty_in_all}}
{{^empty_in_all}}
  %empty.phase = select i1 %produces, i32 %passed, i32 0
{{/empty_in_all}}
  %full.wrong = call i1 @wrong_phase(ptr addrspace(3) %full, i32 %full.phase)
  %empty.wrong = call i1 @wrong_phase(ptr addrspace(3) %empty, i32 %empty.phase)
  %bad = or i1 %full.wrong, %empty.wrong
  ret i1 %bad
}
{{/reads_back}}
define internal i32 @verify() alwaysinline {
{{^reads_back}}
  ret i32 0
{{/reads_back}}
{{#reads_back}}
begin:
  %tid = load i32, ptr @tid
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
{{/reads_back}}
}
