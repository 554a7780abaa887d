{{> write_images}}
define internal void @{{r}}_images(ptr %pb) alwaysinline {
  %images.at = getelementptr i8, ptr %pb, i32 {{pb.payload_in}}
  %images = load ptr addrspace(1), ptr %images.at
  call void @write_images(ptr addrspace(1) %images)
  ret void
}
