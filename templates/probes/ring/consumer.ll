; A consumer unit: every item that is its turn.
define internal void @consumer(ptr %pb) alwaysinline {
  call void @{{r}}_prime()
  call void @start_offset(ptr %pb)
  call void @{{role}}_clock_start()
  call void @{{r}}_take_registers()
{{#is.order.ping_pong}}
  call void @{{r}}_first_turn()
{{/is.order.ping_pong}}
  %items = load i32, ptr @items
{{#is.early_exit.drop}}
  ; The last warp leaves after half of the items: in its last lap it drops out of each slot.
  %rank = load i32, ptr @rank
  %leaves = icmp uge i32 %rank, {{leaver_rank}}
  %half = lshr i32 %items, 1
  %stop = select i1 %leaves, i32 %half, i32 %items
  %last_lap = sub i32 %half, {{num_stages}}
  %quitting = select i1 %leaves, i32 %last_lap, i32 %items
{{/is.early_exit.drop}}
{{#is.early_exit.none}}
  %stop = add i32 %items, 0
{{/is.early_exit.none}}
  %first = load i32, ptr @{{item}}
  %none = icmp uge i32 %first, %items
  br i1 %none, label %done, label %item
item:
{{#slots}}
{{#token_here}}
  call void @{{r}}_try_wait(i32 {{slot_offset}}, i32 0, i32 0, i1 false)
{{#works}}
  call void @{{r}}_work()
{{/works}}
{{/token_here}}
  call void @{{r}}_wait(i32 {{slot_offset}})
{{#token_ahead}}
{{#is.addressing.runtime}}
{{#ahead_odd_laps}}
  call void @{{r}}_try_wait(i32 {{slot_offset}}, i32 {{ahead_items}}, i32 {{ahead_slots}}, i1 true)
{{/ahead_odd_laps}}
{{^ahead_odd_laps}}
  call void @{{r}}_try_wait(i32 {{slot_offset}}, i32 {{ahead_items}}, i32 {{ahead_slots}}, i1 false)
{{/ahead_odd_laps}}
{{/is.addressing.runtime}}
{{#is.addressing.unrolled}}
  call void @{{r}}_try_wait(i32 {{slot_offset}}, i32 {{ahead_items}}, i32 {{ahead_offset}}, i1 {{ahead_lap}})
{{/is.addressing.unrolled}}
{{/token_ahead}}
{{#is.order.ping_pong}}
  call void @{{r}}_take_turn()
{{/is.order.ping_pong}}
  call void @{{r}}_drain(i32 {{slot_offset}})
{{^token_here}}
{{#works}}
  call void @{{r}}_work()
{{/works}}
{{/token_here}}
{{#is.order.ping_pong}}
  call void @{{r}}_hand_on()
{{/is.order.ping_pong}}
{{#is.early_exit.none}}
  call void @{{r}}_release(i32 {{slot_offset}})
{{/is.early_exit.none}}
{{#is.early_exit.drop}}
  call void @{{r}}_release_or_quit(i32 {{slot_offset}}, i32 %quitting)
{{/is.early_exit.drop}}
{{#has_epilogue}}
  call void @{{r}}_epilogue()
{{/has_epilogue}}
  call void @{{r}}_advance()
{{/slots}}
  call void @{{r}}_advance_lap()
  %now = load i32, ptr @{{item}}
  %more = icmp ult i32 %now, %stop
  br i1 %more, label %item, label %done, !llvm.loop !0
done:
{{#is.order.ping_pong}}
  call void @{{r}}_last_turn()
{{/is.order.ping_pong}}
  call void @{{r}}_count_handled()
  call void @{{r}}_leave()
  call void @{{role}}_clock_end()
  ret void
}
{{#is.early_exit.drop}}
define internal void @{{r}}_release_or_quit(i32 %slot, i32 %quitting) alwaysinline {
  %item = load i32, ptr @{{item}}
  %quits = icmp uge i32 %item, %quitting
  br i1 %quits, label %quit, label %release
release:
  call void @{{r}}_release(i32 %slot)
  br label %released
quit:
  call void @{{r}}_quit(i32 %slot)
  br label %released
released:
  ret void
}
{{/is.early_exit.drop}}
