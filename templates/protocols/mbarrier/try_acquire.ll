; Whether the slot is empty, this one or one ahead: the token.
define internal void @{{r}}_try_acquire(i32 %slot, i32 %items_ahead, i32 %there, i1 %odd_laps) alwaysinline {
{{#token_here}}
  %barrier = call ptr addrspace(3) @{{r}}_empty_barrier(i32 %slot)
  {{ir_take_state}}
  {{ir_keep_taken}}
  %parity = load i32, ptr @{{parity}}
  %phase = load i64, ptr @{{r}}_state
  %done = call i1 @llvm.nvvm.mbarrier.{{ir_try}}(ptr addrspace(3) %barrier, {{ir_operand}})
  store i1 %done, ptr @{{token}}
{{/token_here}}
{{#token_ahead}}
  %more = call i1 @{{r}}_is_ahead(i32 %items_ahead)
  %pair = call { ptr addrspace(3), i32 } @{{r}}_ahead(i32 %there, i1 %odd_laps)
  %far = extractvalue { ptr addrspace(3), i32 } %pair, 0
  %far.parity = extractvalue { ptr addrspace(3), i32 } %pair, 1
{{#is.addressing.runtime}}
  ; After the last item the try is of the slot in hand, which is there. LLVM would sink the address into a branch around
  ; the try, and ptxas then makes no predicate of it.
  %near = call ptr addrspace(3) @{{r}}_full_barrier(i32 %slot)
  %near.parity = load i32, ptr @{{parity}}
  %first = select i1 %more, ptr addrspace(3) %far, ptr addrspace(3) %near
  %parity = select i1 %more, i32 %far.parity, i32 %near.parity
  %barrier = getelementptr i8, ptr addrspace(3) %first, i32 {{empty_offset}}
{{/is.addressing.runtime}}
{{#is.addressing.unrolled}}
  %parity = or i32 %far.parity, 0
  %barrier = getelementptr i8, ptr addrspace(3) %far, i32 {{empty_offset}}
{{/is.addressing.unrolled}}
{{#shifts}}
  %token{{from}} = load i1, ptr @{{r}}_token{{from}}
  store i1 %token{{from}}, ptr @{{r}}_token{{to}}
{{/shifts}}
{{#is.addressing.runtime}}
  %done = call i1 @llvm.nvvm.mbarrier.{{ir_try}}(ptr addrspace(3) %barrier, {{ir_operand}})
  %token = and i1 %more, %done
  store i1 %token, ptr @{{r}}_token{{last_token}}
{{/is.addressing.runtime}}
{{#is.addressing.unrolled}}
  store i1 false, ptr @{{r}}_token{{last_token}}
  br i1 %more, label %try, label %tried
try:
  %done = call i1 @llvm.nvvm.mbarrier.{{ir_try}}(ptr addrspace(3) %barrier, {{ir_operand}})
  store i1 %done, ptr @{{r}}_token{{last_token}}
  br label %tried
tried:
{{/is.addressing.unrolled}}
{{/token_ahead}}
  {{ir_fence}}
  ret void
}
