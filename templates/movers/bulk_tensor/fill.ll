; One lane copies; the bytes are counted off at the slot's full barrier as they come.
define internal void @{{r}}_fill(i32 %slot) alwaysinline {
  {{ir_fence_before_copies}}
  %full = call ptr addrspace(3) @{{r}}_full_barrier(i32 %slot)
  %payload = call ptr addrspace(3) @{{r}}_payload_of(i32 %slot)
  %image = load i32, ptr @{{r}}_image
  %copies = {{ir_copies}}
  br i1 %copies, label %copy, label %copied
copy:
  %first = mul i32 %image, {{tile_step}}
{{#tiles}}
  %to{{tile_bytes_up}} = getelementptr i8, ptr addrspace(3) %payload, i32 {{tile_bytes_up}}
  %place{{tile_bytes_up}} = add i32 %first, {{tile_place}}
  call void @{{r}}_copy_tile(ptr addrspace(3) %to{{tile_bytes_up}}, ptr addrspace(3) %full, i32 %place{{tile_bytes_up}})
{{/tiles}}
  br label %copied
copied:
  call void @{{r}}_next_image()
  ret void
}
define internal void @{{r}}_copy_tile(ptr addrspace(3) %to, ptr addrspace(3) %barrier, i32 %place) alwaysinline {
  %map = load ptr, ptr @tile_map
  %policy = load i64, ptr @{{r}}_policy
  %far = addrspacecast ptr addrspace(3) %to to ptr addrspace(7)
  call void @llvm.nvvm.cp.async.bulk.tensor.g2s{{ir_form}}({{ir_copy}})
  ret void
}
