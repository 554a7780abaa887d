; This thread's words of a slot, and the first of them for its first item: word w of item i is seed + i * {{item_step}}
; + w.
@{{r}}_value = internal thread_local global i32 0
define internal void @{{r}}_fill_setup(ptr %pb) alwaysinline {
  %rank = load i32, ptr @rank
  %own = mul i32 %rank, {{fill_bytes}}
  %offset = add i32 %own, {{payload_offset}}
  %place = getelementptr i8, ptr addrspace(3) @pb_shared, i32 %offset
  %base = call ptr addrspace(3) @kept(ptr addrspace(3) %place)
  store ptr addrspace(3) %base, ptr @{{r}}_payload_base
  call void @{{r}}_place_payload()
  %seed = load i32, ptr @seed
  %words = mul i32 %rank, {{fill_words_wide}}
  %first = add i32 %seed, %words
  %unit = load i32, ptr @unit
  %items = mul i32 %unit, u{{item_step}}
  %value = add i32 %first, %items
  store i32 %value, ptr @{{r}}_value
  ret void
}
