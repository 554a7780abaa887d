; What the last copies left in the slots: the sum of all their words, over all threads. No thread read them in the
; window.
define internal void @sum_slots() alwaysinline {
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %items = load i32, ptr @items
  %few = icmp ult i32 %items, {{num_stages}}
  %slots = select i1 %few, i32 %items, i32 {{num_stages}}
  %behind = mul i32 %slots, {{slot_bytes}}
  %tid = load i32, ptr @tid
  %first = mul i32 %tid, 4
  %none = icmp uge i32 %first, %behind
  br i1 %none, label %summed, label %word
word:
  %place = phi i32 [ %first, %0 ], [ %next, %word ]
  %sum = phi i32 [ 0, %0 ], [ %more, %word ]
  %payload = getelementptr i8, ptr addrspace(3) @pb_shared, i32 {{payload_offset}}
  %at = getelementptr i8, ptr addrspace(3) %payload, i32 %place
  %value = load volatile i32, ptr addrspace(3) %at
  %more = add i32 %sum, %value
  %next = add i32 %place, {{cta_word_bytes}}
  %goes = icmp ult i32 %next, %behind
  br i1 %goes, label %word, label %done, !llvm.loop !0
done:
  store i32 %more, ptr @checksum
  br label %summed
summed:
  ret void
}
