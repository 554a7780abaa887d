; The other side: take it, hand it back.
define internal void @consumer(ptr %pb) alwaysinline {
  call void @{{r}}_prime()
  call void @start_offset(ptr %pb)
  call void @{{role}}_clock_start()
  %items = load i32, ptr @items
  br label %item
item:
{{#copies}}
{{#consumer}}
{{#one_of_copies}}
  call void @{{r}}_set_parity(i32 {{parity}})
{{/one_of_copies}}
{{#slots}}
  call void @{{r}}_wait(i32 {{slot_offset}})
  call void @{{r}}_drain(i32 {{slot_offset}})
  call void @{{r}}_release(i32 {{slot_offset}})
{{^one_of_copies}}
  call void @{{r}}_advance()
{{/one_of_copies}}
{{#one_of_copies}}
  call void @{{r}}_count_lap()
{{/one_of_copies}}
{{/slots}}
{{/consumer}}
{{/copies}}
  call void @{{r}}_count_copies()
  %now = load i32, ptr @{{item}}
  %more = icmp ult i32 %now, %items
  br i1 %more, label %item, label %done, !llvm.loop !0
done:
  call void @{{r}}_restore_parity()
  call void @{{r}}_count_handled()
  call void @{{r}}_leave()
  call void @{{role}}_clock_end()
  ret void
}
