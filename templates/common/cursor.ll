; Where a role is in the ring: slot, parity, item, and the addresses that follow from them.
@{{r}}_slot = internal thread_local global i32 0
@{{r}}_parity = internal thread_local global i32 0
@{{r}}_item = internal thread_local global i32 0
@{{r}}_barrier = internal thread_local global ptr addrspace(3) null
@{{r}}_ring = internal thread_local global ptr addrspace(3) null
@{{r}}_payload = internal thread_local global ptr addrspace(3) null
@{{r}}_payload_base = internal thread_local global ptr addrspace(3) null
@{{r}}_group = internal thread_local global i32 0
@{{r}}_state = internal thread_local global i64 0
@{{r}}_leader = internal thread_local global i1 false
@{{r}}_lap = internal thread_local global i32 0
{{#tokens}}
@{{r}}_token{{token_number}} = internal thread_local global i1 false
{{/tokens}}
define internal void @{{r}}_cursor() alwaysinline {
  %unit = load i32, ptr @unit
  %lane = load i32, ptr @lane
  %rank = load i32, ptr @rank
{{^turns_taken}}
  %start = add i32 0, 0
{{/turns_taken}}
{{#turns_taken}}
  ; A unit that takes turns starts that many slots up, in the first lap.
  %start = add i32 %unit, 0
{{/turns_taken}}
  store i32 %start, ptr @{{r}}_item
  store i32 %start, ptr @{{r}}_slot
  ; The parity of lap 0 is 0 for the consumer, 1 for the producer: a fresh empty barrier counts as released.
  store i32 {{first_parity}}, ptr @{{r}}_parity
  %ring = call ptr addrspace(3) @kept(ptr addrspace(3) @pb_shared)
  store ptr addrspace(3) %ring, ptr @{{r}}_ring
  call void @{{r}}_place_barrier()
  %leader = {{ir_leader}}
  store i1 %leader, ptr @{{r}}_leader
  %group = add i32 %unit, {{group_barrier_id}}
  store i32 %group, ptr @{{r}}_group
  ret void
}
define internal void @{{r}}_place_barrier() alwaysinline {
  %slot = load i32, ptr @{{r}}_slot
  %offset = shl i32 %slot, 3
  %ring = load ptr addrspace(3), ptr @{{r}}_ring
  %barrier = getelementptr i8, ptr addrspace(3) %ring, i32 %offset
  store ptr addrspace(3) %barrier, ptr @{{r}}_barrier
  ret void
}
define internal void @{{r}}_place_payload() alwaysinline {
  %slot = load i32, ptr @{{r}}_slot
  %base = load ptr addrspace(3), ptr @{{r}}_payload_base
  %offset = mul i32 %slot, {{slot_bytes}}
  %payload = getelementptr i8, ptr addrspace(3) %base, i32 %offset
  store ptr addrspace(3) %payload, ptr @{{r}}_payload
  ret void
}
; Of the slot `slot` further than the role's, where the slots are unrolled: its words and this thread's payload.
define internal ptr addrspace(3) @{{r}}_full_barrier(i32 %slot) alwaysinline {
  %first = load ptr addrspace(3), ptr @{{r}}_barrier
  %offset = shl i32 %slot, 3
  %barrier = getelementptr i8, ptr addrspace(3) %first, i32 %offset
  ret ptr addrspace(3) %barrier
}
define internal ptr addrspace(3) @{{r}}_empty_barrier(i32 %slot) alwaysinline {
  %full = call ptr addrspace(3) @{{r}}_full_barrier(i32 %slot)
  %barrier = getelementptr i8, ptr addrspace(3) %full, i32 {{empty_offset}}
  ret ptr addrspace(3) %barrier
}
define internal ptr addrspace(3) @{{r}}_payload_of(i32 %slot) alwaysinline {
  %first = load ptr addrspace(3), ptr @{{r}}_payload
  %offset = mul i32 %slot, {{slot_bytes}}
  %payload = getelementptr i8, ptr addrspace(3) %first, i32 %offset
  ret ptr addrspace(3) %payload
}
; All threads that share the slot meet.
define internal void @{{r}}_gather() alwaysinline {
  %group = load i32, ptr @{{r}}_group
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 %group, i32 {{group_threads}})
  ret void
}
define internal i1 @{{r}}_is_first_lane() alwaysinline {
  %lane = load i32, ptr @lane
  %first = icmp eq i32 %lane, {{first_lane}}
  ret i1 %first
}
