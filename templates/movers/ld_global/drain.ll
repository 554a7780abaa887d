; The loads of an item do not wait for one another.
{{> checksum}}
{{> next_source}}
define internal void @{{r}}_drain(i32 %slot) alwaysinline {
  %source = load ptr addrspace(1), ptr @{{r}}_source
{{#loads}}
  %at{{bytes}} = getelementptr i8, ptr addrspace(1) %source, i32 {{bytes}}
  {{ir_load}}
{{#summed}}
  %word{{bytes}}.{{index}} = {{ir_word}}
  call void @{{r}}_checksum(i32 %word{{bytes}}.{{index}})
{{/summed}}
{{/loads}}
  call void @{{r}}_next_source()
  ret void
}
