; The side that is timed: hand over, wait until it comes back.
define internal void @producer() alwaysinline {
  call void @{{role}}_clock_start()
  %items = load i32, ptr @items
  br label %item
item:
{{#copies}}
{{#producer}}
{{#one_of_copies}}
  call void @{{r}}_set_parity(i32 {{parity}})
{{/one_of_copies}}
{{#slots}}
  call void @{{r}}_acquire(i32 {{slot_offset}})
  call void @{{r}}_fill(i32 {{slot_offset}})
  call void @{{r}}_commit(i32 {{slot_offset}})
{{^one_of_copies}}
  call void @{{r}}_advance()
{{/one_of_copies}}
{{#one_of_copies}}
  call void @{{r}}_count_lap()
{{/one_of_copies}}
{{/slots}}
{{/producer}}
{{/copies}}
  call void @{{r}}_count_copies()
  %now = load i32, ptr @{{item}}
  %more = icmp ult i32 %now, %items
  br i1 %more, label %item, label %done, !llvm.loop !0
done:
  call void @{{r}}_restore_parity()
  call void @{{r}}_count_handled()
  call void @{{r}}_tail()
  call void @{{role}}_clock_end()
  ret void
}
