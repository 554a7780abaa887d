; Every warp has both roles: fill while there is room, then consume. The cursors are num_stages - 1 items apart in the
; main loop; before it the ring is filled, after it the rest is consumed.
{{#both}}
{{> clock_start}}
{{> clock_end}}
{{/both}}
{{#producer}}
define internal void @produce() alwaysinline {
{{#slots}}
  call void @{{r}}_acquire(i32 {{slot_offset}})
  call void @{{r}}_fill(i32 {{slot_offset}})
  call void @{{r}}_commit(i32 {{slot_offset}})
  call void @{{r}}_advance()
{{/slots}}
  ret void
}
{{/producer}}
{{#consumer}}
define internal void @consume() alwaysinline {
{{#slots}}
  call void @{{r}}_wait(i32 {{slot_offset}})
  call void @{{r}}_drain(i32 {{slot_offset}})
{{#works}}
  call void @{{r}}_work()
{{/works}}
  call void @{{r}}_release(i32 {{slot_offset}})
  call void @{{r}}_advance()
{{/slots}}
  ret void
}
{{/consumer}}
define internal void @both(ptr %pb) alwaysinline {
  call void @c_prime()
  call void @start_offset(ptr %pb)
{{#both}}
  call void @{{role}}_clock_start()
{{/both}}
  %items = load i32, ptr @items
  %first = call i32 @llvm.umin.i32(i32 %items, i32 {{stages_but_one}})
  %none = icmp eq i32 %first, 0
  br i1 %none, label %filled, label %fill
fill:
  call void @produce()
  %filled.now = load i32, ptr @p_item
  %fills = icmp ult i32 %filled.now, %first
  br i1 %fills, label %fill, label %filled, !llvm.loop !0
filled:
  %at = load i32, ptr @p_item
  %all = icmp uge i32 %at, %items
  br i1 %all, label %rest, label %item
item:
  call void @produce()
  call void @consume()
  %now = load i32, ptr @p_item
  %more = icmp ult i32 %now, %items
  br i1 %more, label %item, label %rest, !llvm.loop !0
rest:
  store i1 true, ptr @rest_of_ring
  %left = load i32, ptr @c_item
  %empty = icmp uge i32 %left, %items
  br i1 %empty, label %done, label %drain
drain:
  call void @consume()
  %drained = load i32, ptr @c_item
  %drains = icmp ult i32 %drained, %items
  br i1 %drains, label %drain, label %done, !llvm.loop !0
done:
  %handled = load i32, ptr @c_item
  store i32 %handled, ptr @handled
  call void @p_tail()
{{#both}}
  call void @{{role}}_clock_end()
{{/both}}
  ret void
}
