; A ring in each CTA of a cluster. Copies and releases may go from one to another.
{{> prologue}}
{{> roles}}
{{> uniform_role}}
{{> init}}
{{> gather}}
{{> start_offset}}
{{#producer}}
{{> cursor}}
{{> advance}}
{{> advance_lap}}
{{> count_handled}}
{{> fill_setup}}
{{> acquire}}
{{> fill}}
{{> commit}}
{{> tail}}
{{> clock_start}}
{{> clock_end}}
{{> turn_of_producer}}
{{/producer}}
{{#consumer}}
{{> cursor}}
{{> advance}}
{{> advance_lap}}
{{> count_handled}}
{{> drain_setup}}
{{> prime}}
{{> wait}}
{{> drain}}
{{> release}}
{{> leave}}
{{> clock_start}}
{{> clock_end}}
{{> turn_of_consumer}}
{{/consumer}}
{{> record}}
; As of the probe cluster.
attributes #0 = { "nvvm.cluster_dim"="0" "nvvm.maxclusterrank"="16" }
define ptx_kernel void @{{entry}}({{ir_pb}}{{ir_resources}}) #0 {
  {{ir_keep_resources}}
  call void @prologue(ptr %pb)
  call void @roles()
  call void @p_cursor()
  call void @p_fill_setup(ptr %pb)
  call void @c_cursor()
  call void @c_drain_setup(ptr %pb)
  call void @init()
  ; Other CTAs arrive on these barriers, and complete bytes on them.
  call void @llvm.nvvm.fence.mbarrier_init.release.cluster()
  call void @gather()
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
