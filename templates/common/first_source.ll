; The image of the first item.
{{> first_image}}
define internal void @{{r}}_first_source() alwaysinline {
  call void @{{r}}_first_image()
  call void @{{r}}_place_source()
  ret void
}
define internal void @{{r}}_place_source() alwaysinline {
  %image = load i32, ptr @{{r}}_image
  %wide = zext i32 %image to i64
  %bytes = mul i64 %wide, {{slot_bytes}}
  %base = load ptr addrspace(1), ptr @{{r}}_source_base
  %source = getelementptr i8, ptr addrspace(1) %base, i64 %bytes
  store ptr addrspace(1) %source, ptr @{{r}}_source
  ret void
}
