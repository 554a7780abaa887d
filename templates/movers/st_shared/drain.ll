; Ordinary loads; every word goes into the checksum, so that order and content are both seen.
{{> checksum}}
define internal void @{{r}}_drain(i32 %slot) alwaysinline {
  %payload = {{ir_payload}}
{{#loads}}
  %at{{bytes}} = getelementptr i8, ptr addrspace(3) %payload, i32 {{bytes}}
{{#drain_wide}}
  %words{{bytes}} = load <4 x i32>, ptr addrspace(3) %at{{bytes}}, align 16
{{#summed}}
  %word{{bytes}}.{{index}} = extractelement <4 x i32> %words{{bytes}}, i32 {{index}}
  call void @{{r}}_checksum(i32 %word{{bytes}}.{{index}})
{{/summed}}
{{/drain_wide}}
{{^drain_wide}}
  %word{{bytes}} = load i32, ptr addrspace(3) %at{{bytes}}
  call void @{{r}}_checksum(i32 %word{{bytes}})
{{/drain_wide}}
{{/loads}}
  ret void
}
