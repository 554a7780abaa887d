define internal void @{{r}}_release(i32 %slot) alwaysinline {
{{^before_fill}}
  {{ir_cross}}
{{/before_fill}}
  ret void
}
