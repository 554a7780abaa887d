; A token back and forth over the two barriers of one slot: no payload, no work.
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
{{> count_copies}}
{{> count_handled}}
{{> acquire}}
{{> try_acquire}}
{{> commit}}
{{> tail}}
{{> clock_start}}
{{> clock_end}}
{{> producer}}
{{/producer}}
{{#consumer}}
{{> cursor}}
{{> look_ahead}}
{{> advance}}
{{> advance_lap}}
{{> count_copies}}
{{> count_handled}}
{{> prime}}
{{> wait}}
{{> try_wait}}
{{> release}}
{{> leave}}
{{> clock_start}}
{{> clock_end}}
{{> consumer}}
{{/consumer}}
{{> record}}
define ptx_kernel void @{{entry}}({{ir_pb}}) {
  call void @prologue(ptr %pb)
  call void @roles()
  call void @p_cursor()
  call void @c_cursor()
  call void @init()
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %role = call i32 @uniform_role()
  %consumes = icmp eq i32 %role, 2
  br i1 %consumes, label %consumer, label %producer
producer:
  call void @producer()
  br label %join
consumer:
  call void @consumer(ptr %pb)
  br label %join
join:
  call void @record(ptr %pb)
  ret void
}
