; Asynchronous copies into this thread's words of the slot.
{{> next_source}}
define internal void @{{r}}_fill(i32 %slot) alwaysinline {
  %payload = call ptr addrspace(3) @{{r}}_payload_of(i32 %slot)
  %source = load ptr addrspace(1), ptr @{{r}}_source
  {{ir_source_bytes}}
{{#stores}}
  %to{{bytes}} = getelementptr i8, ptr addrspace(3) %payload, i32 {{bytes}}
  %from{{bytes}} = getelementptr i8, ptr addrspace(1) %source, i32 {{bytes}}
  call void @llvm.nvvm.cp.async.{{cache}}.shared.global.{{fill_bytes}}{{ir_copy}}
{{/stores}}
  call void @{{r}}_next_source()
  ret void
}
; As many as are copied, which LLVM does not know: zero is 0.
define internal i32 @{{r}}_source_bytes() alwaysinline {
  %zero = load i32, ptr @zero
  %bytes = add i32 %zero, {{fill_bytes}}
  ret i32 %bytes
}
