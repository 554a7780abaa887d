; The one barrier of an item: it publishes the oldest copies and ends the reading of the last slot.
define internal void @{{r}}_acquire(i32 %slot) alwaysinline {
{{#before_fill}}
  call void @llvm.nvvm.cp.async.wait.group(i32 {{wait_prior}})
  {{ir_cross}}
{{/before_fill}}
  ret void
}
