; What is copied: images of a slot, or tiles of the data, one after the other. Item i takes number i modulo
; {{payload_period}}.
{{> write_images}}
@{{r}}_image = internal thread_local global i32 0
@{{r}}_source = internal thread_local global ptr addrspace(1) null
@{{r}}_source_base = internal thread_local global ptr addrspace(1) null
define internal void @{{r}}_source_images(ptr %pb) alwaysinline {
{{#is.resident.hbm}}
  %images = load ptr addrspace(1), ptr @data
{{/is.resident.hbm}}
{{^is.resident.hbm}}
  %images.at = getelementptr i8, ptr %pb, i32 {{pb.payload_in}}
  %images = load ptr addrspace(1), ptr %images.at
{{/is.resident.hbm}}
  store ptr addrspace(1) %images, ptr @{{r}}_source_base
  call void @write_images(ptr addrspace(1) %images)
  ret void
}
