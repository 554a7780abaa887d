; A consumer unit: every item that is its turn.
define internal void @consumer(ptr %pb) alwaysinline {
  call void @{{r}}_prime()
  call void @start_offset(ptr %pb)
  call void @{{role}}_clock_start()
  %items = load i32, ptr @items
  %first = load i32, ptr @{{item}}
  %none = icmp uge i32 %first, %items
  br i1 %none, label %done, label %item
item:
{{#slots}}
  call void @{{r}}_wait(i32 {{slot_offset}})
  call void @{{r}}_drain(i32 {{slot_offset}})
  call void @{{r}}_release(i32 {{slot_offset}})
  call void @{{r}}_advance()
{{/slots}}
  call void @{{r}}_advance_lap()
  %now = load i32, ptr @{{item}}
  %more = icmp ult i32 %now, %items
  br i1 %more, label %item, label %done, !llvm.loop !0
done:
  call void @{{r}}_count_handled()
  call void @{{r}}_leave()
  call void @{{role}}_clock_end()
  ret void
}
