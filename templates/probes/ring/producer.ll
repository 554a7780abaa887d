; A producer unit: every item that is its turn, then the tail.
define internal void @producer(ptr %pb) alwaysinline {
  call void @{{role}}_clock_start()
  call void @{{r}}_give_registers()
  %items = load i32, ptr @items
  %first = load i32, ptr @{{item}}
  %none = icmp uge i32 %first, %items
  br i1 %none, label %done, label %item
item:
{{#slots}}
{{#token_here}}
  call void @{{r}}_try_acquire(i32 {{slot_offset}}, i32 0, i32 0, i1 false)
{{#works}}
  call void @{{r}}_work()
{{/works}}
{{/token_here}}
  call void @{{r}}_acquire(i32 {{slot_offset}})
{{#token_ahead}}
{{#is.addressing.runtime}}
{{#ahead_odd_laps}}
  call void @{{r}}_try_acquire(i32 {{slot_offset}}, i32 {{ahead_items}}, i32 {{ahead_slots}}, i1 true)
{{/ahead_odd_laps}}
{{^ahead_odd_laps}}
  call void @{{r}}_try_acquire(i32 {{slot_offset}}, i32 {{ahead_items}}, i32 {{ahead_slots}}, i1 false)
{{/ahead_odd_laps}}
{{/is.addressing.runtime}}
{{#is.addressing.unrolled}}
  call void @{{r}}_try_acquire(i32 {{slot_offset}}, i32 {{ahead_items}}, i32 {{ahead_offset}}, i1 {{ahead_lap}})
{{/is.addressing.unrolled}}
{{/token_ahead}}
  call void @{{r}}_fill(i32 {{slot_offset}})
{{^token_here}}
{{#works}}
  call void @{{r}}_work()
{{/works}}
{{/token_here}}
  call void @{{r}}_commit(i32 {{slot_offset}})
  {{ir_keep_loop}}
  call void @{{r}}_advance()
{{/slots}}
  call void @{{r}}_advance_lap()
  %now = load i32, ptr @{{item}}
  %more = icmp ult i32 %now, %items
  br i1 %more, label %item, label %done, !llvm.loop !0
done:
  call void @{{r}}_count_handled()
  call void @{{r}}_tail()
  call void @{{role}}_clock_end()
  ret void
}
