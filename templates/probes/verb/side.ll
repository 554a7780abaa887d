; A role when the slots are prepared: the timed one goes, the other one leaves.
{{#is_timed}}
{{> one}}
{{/is_timed}}
define internal void @{{role}}_side() alwaysinline {
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %items = load i32, ptr @items
{{^is_timed}}
  store i32 %items, ptr @handled
{{/is_timed}}
{{#is_timed}}
{{#from_parity_0}}
  store i32 0, ptr @{{parity}}
{{/from_parity_0}}
  call void @{{role}}_clock_start()
  br label %item
item:
{{#slots}}
  call void @{{r}}_one(i32 {{slot_offset}})
{{/slots}}
{{#completes}}
  %parity = load i32, ptr @{{parity}}
  %turned = xor i32 %parity, 1
  store i32 %turned, ptr @{{parity}}
{{/completes}}
  %handled = load i32, ptr @handled
  %next = add i32 %handled, 1
  store i32 %next, ptr @handled
  %more = icmp ult i32 %next, %items
  br i1 %more, label %item, label %done, !llvm.loop !0
done:
{{#arrives}}
  ; An arrival has no result. A load from its barrier comes after it in the same queue.
  %barrier = load ptr addrspace(3), ptr @{{r}}_barrier
  %word = load volatile i32, ptr addrspace(3) %barrier
  %checksum = load i32, ptr @checksum
  %mixed = xor i32 %checksum, %word
  store i32 %mixed, ptr @checksum
{{/arrives}}
{{#tries}}
  %answers = load i1, ptr @{{role}}_answers
  %bit = zext i1 %answers to i32
  %sum = load i32, ptr @checksum
  %tried = xor i32 %sum, %bit
  store i32 %tried, ptr @checksum
{{/tries}}
  call void @{{role}}_clock_end()
{{/is_timed}}
  ret void
}
