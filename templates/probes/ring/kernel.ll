; The pipeline in its steady state: items pass from producers to consumers through the ring.
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
{{> work}}
{{> commit}}
{{> tail}}
{{> count_handled}}
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
{{> work}}
{{> release}}
{{> quit}}
{{> leave}}
{{> count_handled}}
{{/consumer}}
{{#is.roles.unified}}
{{> unified}}
{{/is.roles.unified}}
{{#is.roles.specialized}}
{{#producer}}
{{> clock_start}}
{{> clock_end}}
{{> give_registers}}
{{> producer}}
{{/producer}}
{{#consumer}}
{{> clock_start}}
{{> clock_end}}
{{> take_registers}}
{{#is.order.ping_pong}}
{{> first_turn}}
{{> take_turn}}
{{> hand_on}}
{{> last_turn}}
{{/is.order.ping_pong}}
{{#has_epilogue}}
{{> epilogue}}
{{/has_epilogue}}
{{> consumer}}
{{/consumer}}
{{/is.roles.specialized}}
{{> record}}
define ptx_kernel void @{{entry}}({{ir_pb}}{{ir_resources}}){{ir_launch_threads}}{{ir_launch_registers}} {
  {{ir_keep_resources}}
  call void @prologue(ptr %pb)
  call void @roles()
  call void @p_cursor()
  call void @p_fill_setup(ptr %pb)
  call void @c_cursor()
  call void @c_drain_setup(ptr %pb)
  call void @init()
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
{{#is.roles.unified}}
  call void @both(ptr %pb)
  br label %join
{{/is.roles.unified}}
{{#is.roles.specialized}}
  %role = call i32 @uniform_role()
  %consumes = icmp eq i32 %role, 2
  br i1 %consumes, label %consumer, label %producer
producer:
  call void @producer(ptr %pb)
  br label %join
consumer:
  call void @consumer(ptr %pb)
  br label %join
{{/is.roles.specialized}}
join:
  call void @record(ptr %pb)
  ret void
}
