{{> source}}
{{> first_source}}
define internal void @{{r}}_drain_setup(ptr %pb) alwaysinline {
  call void @{{r}}_source_images(ptr %pb)
  %rank = load i32, ptr @rank
  %own = mul i32 %rank, {{drain_bytes}}
  %base = load ptr addrspace(1), ptr @{{r}}_source_base
  %first = getelementptr i8, ptr addrspace(1) %base, i32 %own
  store ptr addrspace(1) %first, ptr @{{r}}_source_base
  call void @{{r}}_first_source()
  ret void
}
