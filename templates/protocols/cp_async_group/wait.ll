define internal void @{{r}}_wait(i32 %slot) alwaysinline {
  %rest = load i1, ptr @rest_of_ring
  br i1 %rest, label %last, label %own
last:
  ; Nothing is copied any more: the last groups are waited for together.
  call void @llvm.nvvm.cp.async.wait.group(i32 0)
  {{ir_cross}}
  br label %published
own:
{{^before_fill}}
  call void @llvm.nvvm.cp.async.wait.group(i32 {{wait_prior}})
  {{ir_cross}}
{{/before_fill}}
  br label %published
published:
  ret void
}
