; One lane copies; the bytes are counted off at the slot's full barrier as they come.
{{> next_source}}
define internal void @{{r}}_fill(i32 %slot) alwaysinline {
  {{ir_fence_before_copies}}
  %barrier = call ptr addrspace(3) @{{r}}_full_barrier(i32 %slot)
  %payload = call ptr addrspace(3) @{{r}}_payload_of(i32 %slot)
  %source = load ptr addrspace(1), ptr @{{r}}_source
  %policy = load i64, ptr @{{r}}_policy
  %copies = {{ir_copies}}
  br i1 %copies, label %copy, label %copied
copy:
{{#stores}}
  %to{{bytes}} = getelementptr i8, ptr addrspace(3) %payload, i32 {{bytes}}
  %from{{bytes}} = getelementptr i8, ptr addrspace(1) %source, i32 {{bytes}}
  %far{{bytes}} = addrspacecast ptr addrspace(3) %to{{bytes}} to ptr addrspace(7)
  call void @llvm.nvvm.cp.async.bulk.global.to.shared.{{destination}}({{ir_copy}})
{{/stores}}
  br label %copied
copied:
  call void @{{r}}_next_source()
  ret void
}
