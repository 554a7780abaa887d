; The data of resident=hbm is in memory already.
{{#is.resident.l2}}
{{> write_images}}
{{/is.resident.l2}}
{{^is.resident.l2}}
define internal void @write_images(ptr addrspace(1) %images) alwaysinline {
  ret void
}
{{/is.resident.l2}}
