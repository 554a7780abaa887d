; Each CTA of a grid reads its share of the data, through a ring of its own or by plain loads.
@data = internal thread_local global ptr addrspace(1) null
@places = internal thread_local global ptr addrspace(1) null
{{> prologue}}
{{> roles}}
{{> uniform_role}}
{{> init}}
{{> start_offset}}
{{#producer}}
{{> cursor}}
{{> look_ahead}}
{{> advance}}
{{> advance_lap}}
{{> fill_setup}}
{{> acquire}}
{{> try_acquire}}
{{> fill}}
{{> commit}}
{{> tail}}
{{> count_handled}}
{{> clock_start}}
{{> clock_end}}
{{> give_registers}}
{{> producer}}
{{/producer}}
{{#consumer}}
{{> cursor}}
{{> look_ahead}}
{{> advance}}
{{> advance_lap}}
{{> drain_setup}}
{{> prime}}
{{> wait}}
{{> try_wait}}
{{> drain}}
{{> release}}
{{> leave}}
{{> count_handled}}
{{> clock_start}}
{{> clock_end}}
{{> take_registers}}
{{> consumer}}
{{/consumer}}
{{> record}}
define ptx_kernel void @{{entry}}({{ir_pb}}, {{ir_data}}{{ir_resources}}){{ir_launch_threads}}{{ir_launch_registers}} {
  {{ir_keep_resources}}
  store ptr addrspace(1) %data, ptr @data
  store ptr addrspace(1) %places, ptr @places
  call void @prologue(ptr %pb)
  call void @roles()
  call void @p_cursor()
  call void @p_fill_setup(ptr %pb)
  call void @c_cursor()
  call void @c_drain_setup(ptr %pb)
  call void @init()
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %role = call i32 @uniform_role()
  %consumes = icmp eq i32 %role, 2
  br i1 %consumes, label %consumer, label %producer
producer:
  call void @producer(ptr %pb)
  br label %join
consumer:
  call void @consumer(ptr %pb)
  br label %join
join:
  call void @record(ptr %pb)
  ret void
}
