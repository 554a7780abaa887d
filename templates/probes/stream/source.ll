; The data, in tiles of a slot. Item i of CTA c is tile i * CTAs + c, round and round.
{{> stride}}
@{{r}}_source = internal thread_local global ptr addrspace(1) null
@{{r}}_source_base = internal thread_local global ptr addrspace(1) null
define internal void @{{r}}_source_images(ptr %pb) alwaysinline {
  %data = load ptr addrspace(1), ptr @data
  store ptr addrspace(1) %data, ptr @{{r}}_source_base
  call void @{{r}}_take_stride(ptr %pb)
  ret void
}
define internal void @{{r}}_place_source() alwaysinline {
  %tile = load i32, ptr @{{r}}_tile
  %wide = zext i32 %tile to i64
  %bytes = mul i64 %wide, {{slot_bytes}}
  %base = load ptr addrspace(1), ptr @{{r}}_source_base
  %source = getelementptr i8, ptr addrspace(1) %base, i64 %bytes
  store ptr addrspace(1) %source, ptr @{{r}}_source
  ret void
}
