; This thread's words of a slot, and of the image of its first item.
{{> source}}
{{> first_source}}
define internal void @{{r}}_fill_setup(ptr %pb) alwaysinline {
  %rank = load i32, ptr @rank
  %own = mul i32 %rank, {{fill_bytes}}
  %offset = add i32 %own, {{payload_offset}}
  %place = getelementptr i8, ptr addrspace(3) @pb_shared, i32 %offset
  %base = call ptr addrspace(3) @kept(ptr addrspace(3) %place)
  store ptr addrspace(3) %base, ptr @{{r}}_payload_base
  call void @{{r}}_place_payload()
  call void @{{r}}_source_images(ptr %pb)
  %images = load ptr addrspace(1), ptr @{{r}}_source_base
  %first = getelementptr i8, ptr addrspace(1) %images, i32 %own
  store ptr addrspace(1) %first, ptr @{{r}}_source_base
  call void @{{r}}_first_source()
  ret void
}
