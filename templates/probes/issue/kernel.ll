; Copies back to back, by warps that wait for their own copies alone.
@data = internal thread_local global ptr addrspace(1) null
{{> prologue}}
{{> roles}}
{{> init}}
{{> start_offset}}
{{#producer}}
{{> cursor}}
{{> advance}}
{{> advance_lap}}
{{> fill_setup}}
{{> acquire}}
{{> fill}}
{{> tail}}
{{> count_handled}}
{{> clock_start}}
{{> clock_end}}
define internal void @copy_all(ptr %pb) alwaysinline {
  call void @start_offset(ptr %pb)
  call void @{{role}}_clock_start()
  %items = load i32, ptr @items
  %first = load i32, ptr @{{item}}
  %none = icmp uge i32 %first, %items
  br i1 %none, label %done, label %item
item:
{{#slots}}
  call void @{{r}}_acquire(i32 {{slot_offset}})
  call void @{{r}}_fill(i32 {{slot_offset}})
  call void @{{r}}_advance()
{{/slots}}
  call void @{{r}}_advance_lap()
  %now = load i32, ptr @{{item}}
  %more = icmp ult i32 %now, %items
  br i1 %more, label %item, label %done, !llvm.loop !0
done:
  call void @{{r}}_count_handled()
  call void @{{r}}_tail()
  call void @{{role}}_clock_end()
  ret void
}
{{/producer}}
{{> sum_slots}}
{{> record}}
define ptx_kernel void @{{entry}}({{ir_pb}}{{ir_data_parameter}}{{ir_resources}}) {
  {{ir_keep_data}}
  {{ir_keep_resources}}
  call void @prologue(ptr %pb)
  call void @roles()
  call void @p_cursor()
  call void @p_fill_setup(ptr %pb)
  call void @init()
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  call void @copy_all(ptr %pb)
  call void @sum_slots()
  call void @record(ptr %pb)
  ret void
}
