@{{r}}_tile = internal thread_local global i32 0
@{{r}}_stride = internal thread_local global i32 0
define internal void @{{r}}_take_stride(ptr %pb) alwaysinline {
  %sms.at = getelementptr i8, ptr %pb, i32 {{pb.load_ctas}}
  %sms = load i32, ptr %sms.at
  %stride = mul i32 %sms, {{ctas_per_sm}}
  store i32 %stride, ptr @{{r}}_stride
  ret void
}
