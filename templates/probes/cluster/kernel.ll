; Two CTAs of a cluster and the barriers between them, or the barrier of the whole cluster.
{{> prologue}}
{{> roles}}
{{> uniform_role}}
{{> ranks}}
{{> init}}
{{> gather}}
{{> start_offset}}
{{#producer}}
{{> cursor}}
{{> advance}}
{{> count_copies}}
{{> count_handled}}
{{> fill_setup}}
{{> acquire}}
{{> fill}}
{{> tail}}
{{/producer}}
{{#consumer}}
{{> cursor}}
{{> advance}}
{{> count_copies}}
{{> count_handled}}
{{> drain_setup}}
{{> prime}}
{{> wait}}
{{> drain}}
{{> release}}
{{> leave}}
{{/consumer}}
{{#is.roles.unified}}
{{#consumer}}
{{> commit}}
{{/consumer}}
{{> unified}}
{{/is.roles.unified}}
{{#is.roles.specialized}}
{{#producer}}
{{> commit}}
{{> clock_start}}
{{> clock_end}}
{{> producer}}
{{/producer}}
{{#consumer}}
{{> clock_start}}
{{> clock_end}}
{{> consumer}}
{{/consumer}}
{{/is.roles.specialized}}
{{> record}}
; Without the first attribute ptxas asks at every cluster barrier whether the launch has clusters at all; with it alone
; LLVM takes 0 to be the size of the cluster.
attributes #0 = { "nvvm.cluster_dim"="0" "nvvm.maxclusterrank"="16" }
define ptx_kernel void @{{entry}}({{ir_pb}}{{ir_resources}}) #0 {
  {{ir_keep_resources}}
  call void @prologue(ptr %pb)
  call void @roles()
{{#is.roles.specialized}}
  call void @ranks()
{{/is.roles.specialized}}
  call void @p_cursor()
  call void @p_fill_setup(ptr %pb)
  call void @c_cursor()
  call void @c_drain_setup(ptr %pb)
  call void @init()
  call void @gather()
{{#is.roles.unified}}
  call void @both(ptr %pb)
  br label %join
{{/is.roles.unified}}
{{#is.roles.specialized}}
  %elsewhere = load i1, ptr @elsewhere
  br i1 %elsewhere, label %join, label %here
here:
  %role = load i32, ptr @role
  %consumes = icmp eq i32 %role, 2
  br i1 %consumes, label %consumer, label %producer
producer:
  call void @producer()
  br label %join
consumer:
  call void @consumer(ptr %pb)
  br label %join
{{/is.roles.specialized}}
join:
  call void @record(ptr %pb)
  ret void
}
