; One verb of one warp, over and over. The other role prepares the slots and has no part.
{{> prologue}}
{{> roles}}
{{> uniform_role}}
{{> init}}
{{#producer}}
{{> cursor}}
{{> look_ahead}}
{{> acquire}}
{{> try_acquire}}
{{> commit}}
{{> wait}}
{{> clock_start}}
{{> clock_end}}
{{> side}}
{{/producer}}
{{#consumer}}
{{> cursor}}
{{> look_ahead}}
{{> prime}}
{{> wait}}
{{> try_wait}}
{{> release}}
{{> acquire}}
{{> clock_start}}
{{> clock_end}}
{{> side}}
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
{{#producer}}
{{#made_full}}
{{#slots}}
  call void @p_commit(i32 {{slot_offset}})
{{/slots}}
{{/made_full}}
{{/producer}}
  call void @producer_side()
  br label %join
consumer:
{{#consumer}}
{{#made_empty}}
  call void @c_prime()
{{/made_empty}}
{{/consumer}}
  call void @consumer_side()
  br label %join
join:
  call void @record(ptr %pb)
  ret void
}
