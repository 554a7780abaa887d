; This thread's words of a slot in the consuming CTA, and the first of them for its first item: word w of item i is
; seed + i * {{item_step}} + w. An address of the cluster is kept as a number among those of the CTA.
@{{r}}_value = internal thread_local global i32 0
define internal void @{{r}}_fill_setup(ptr %pb) alwaysinline {
  %peer = load i32, ptr @peer
  %remote = call ptr addrspace(7) @llvm.nvvm.mapa.shared.cluster(ptr addrspace(3) @pb_shared, i32 %peer)
  %number = ptrtoint ptr addrspace(7) %remote to i32
  %there = inttoptr i32 %number to ptr addrspace(3)
  %rank = load i32, ptr @rank
  %own = mul i32 %rank, {{fill_bytes}}
  %offset = add i32 %own, {{payload_offset}}
  %base = getelementptr i8, ptr addrspace(3) %there, i32 %offset
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
