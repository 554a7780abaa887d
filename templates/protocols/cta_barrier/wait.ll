; The commit's other side. With two slots or more it also says that the previous item is read.
define internal void @{{r}}_wait(i32 %slot) alwaysinline {
{{#specialised}}
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
{{/specialised}}
{{#crosses_rest}}
  %rest = load i1, ptr @rest_of_ring
  br i1 %rest, label %cross, label %crossed
cross:
  ; Nothing is filled any more: the barrier that acquire carried is here.
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %crossed
crossed:
{{/crosses_rest}}
  ret void
}
