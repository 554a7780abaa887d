; Computed words by ordinary stores into the shared memory of the consuming CTA.
define internal void @{{r}}_fill(i32 %slot) alwaysinline {
  %own = call ptr addrspace(3) @{{r}}_payload_of(i32 %slot)
  %number = ptrtoint ptr addrspace(3) %own to i32
  %payload = inttoptr i32 %number to ptr addrspace(7)
  %value = load i32, ptr @{{r}}_value
{{#stores}}
{{#words}}
  %word{{bytes}}.{{index}} = add i32 %value, {{offset}}
{{/words}}
  %to{{bytes}} = getelementptr i8, ptr addrspace(7) %payload, i32 {{bytes}}
{{#fill_wide}}
  %a{{bytes}} = insertelement <4 x i32> poison, i32 %word{{bytes}}.0, i32 0
  %b{{bytes}} = insertelement <4 x i32> %a{{bytes}}, i32 %word{{bytes}}.1, i32 1
  %c{{bytes}} = insertelement <4 x i32> %b{{bytes}}, i32 %word{{bytes}}.2, i32 2
  %d{{bytes}} = insertelement <4 x i32> %c{{bytes}}, i32 %word{{bytes}}.3, i32 3
  store <4 x i32> %d{{bytes}}, ptr addrspace(7) %to{{bytes}}, align 16
{{/fill_wide}}
{{^fill_wide}}
  store i32 %word{{bytes}}.0, ptr addrspace(7) %to{{bytes}}
{{/fill_wide}}
{{/stores}}
  %next = add i32 %value, u{{value_step}}
  store i32 %next, ptr @{{r}}_value
  ret void
}
