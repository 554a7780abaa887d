; Where this thread reads. Of a slot that is smaller than the threads are many, several read the same word.
define internal void @{{r}}_drain_setup(ptr %pb) alwaysinline {
  %rank = load i32, ptr @rank
  %all = mul i32 %rank, {{drain_bytes}}
{{#drain_wraps}}
  %first = urem i32 %all, {{slot_bytes}}
{{/drain_wraps}}
{{^drain_wraps}}
  %first = add i32 %all, 0
{{/drain_wraps}}
  %offset = add i32 %first, {{payload_offset}}
  %place = getelementptr i8, ptr addrspace(3) @pb_shared, i32 %offset
  %base = call ptr addrspace(3) @kept(ptr addrspace(3) %place)
  store ptr addrspace(3) %base, ptr @{{r}}_payload_base
  call void @{{r}}_place_payload()
  ret void
}
