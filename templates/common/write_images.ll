; For movers that copy: the images of a slot that the copies read. Every thread of the CTA writes its words of all
; images; the barrier after init publishes them.
define internal void @write_images(ptr addrspace(1) %images) alwaysinline {
begin:
  %tid = load i32, ptr @tid
  %seed = load i32, ptr @seed
  %has_words = icmp ult i32 %tid, {{slot_words}}
  br label %image
image:
  %number = phi i32 [ 0, %begin ], [ %next_image, %written ]
  br i1 %has_words, label %word, label %written
word:
  %index = phi i32 [ %tid, %image ], [ %next_word, %word ]
  %before = mul i32 %number, {{slot_words}}
  %place = add i32 %before, %index
  %address = getelementptr i32, ptr addrspace(1) %images, i32 %place
  %step = mul i32 %number, u{{item_step}}
  %own = add i32 %step, %index
  %value = add i32 %own, %seed
  store i32 %value, ptr addrspace(1) %address
  %next_word = add i32 %index, {{threads}}
  %more_words = icmp ult i32 %next_word, {{slot_words}}
  br i1 %more_words, label %word, label %written, !llvm.loop !0
written:
  %next_image = add i32 %number, 1
  %more_images = icmp ult i32 %next_image, {{payload_period}}
  br i1 %more_images, label %image, label %done, !llvm.loop !0
done:
  ret void
}
