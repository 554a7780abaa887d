; Whether the slot is full, this one or one ahead: the token.
define internal void @{{r}}_try_wait(i32 %slot, i32 %items_ahead, i32 %there, i1 %odd_laps) alwaysinline {
{{#token_here}}
  %barrier = call ptr addrspace(3) @{{r}}_full_barrier(i32 %slot)
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
  %first = extractvalue { ptr addrspace(3), i32 } %pair, 0
  %parity = extractvalue { ptr addrspace(3), i32 } %pair, 1
  %barrier = getelementptr i8, ptr addrspace(3) %first, i32 0
{{#shifts}}
  %token{{from}} = load i1, ptr @{{r}}_token{{from}}
  store i1 %token{{from}}, ptr @{{r}}_token{{to}}
{{/shifts}}
  store i1 false, ptr @{{r}}_token{{last_token}}
  br i1 %more, label %try, label %tried
try:
  %done = call i1 @llvm.nvvm.mbarrier.{{ir_try}}(ptr addrspace(3) %barrier, {{ir_operand}})
  store i1 %done, ptr @{{r}}_token{{last_token}}
  br label %tried
tried:
{{/token_ahead}}
  {{ir_fence}}
  ret void
}
