define internal void @{{r}}_drain_setup(ptr %pb) alwaysinline {
  %rank = load i32, ptr @rank
  %own = mul i32 %rank, {{drain_bytes}}
  %offset = add i32 %own, {{payload_offset}}
  %place = getelementptr i8, ptr addrspace(3) @pb_shared, i32 %offset
  %base = call ptr addrspace(3) @kept(ptr addrspace(3) %place)
  store ptr addrspace(3) %base, ptr @{{r}}_payload_base
  call void @{{r}}_place_payload()
  ret void
}
