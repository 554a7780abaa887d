; Every warp of every CTA: arrive, and wait for all the others.
{{#both}}
{{> clock_start}}
{{> clock_end}}
{{/both}}
define internal void @both(ptr %pb) alwaysinline {
  call void @start_offset(ptr %pb)
{{#both}}
  call void @{{role}}_clock_start()
{{/both}}
  %items = load i32, ptr @items
  br label %item
item:
{{#copies}}
{{#consumer}}
{{#slots}}
  call void @{{r}}_commit(i32 {{slot_offset}})
  call void @{{r}}_wait(i32 {{slot_offset}})
{{^one_of_copies}}
  call void @{{r}}_advance()
{{/one_of_copies}}
{{/slots}}
{{/consumer}}
{{/copies}}
  call void @c_count_copies()
  %now = load i32, ptr @c_item
  %more = icmp ult i32 %now, %items
  br i1 %more, label %item, label %done, !llvm.loop !0
done:
  %handled = load i32, ptr @c_item
  store i32 %handled, ptr @handled
{{#both}}
  call void @{{role}}_clock_end()
{{/both}}
  ret void
}
