define internal void @{{r}}_commit(i32 %slot) alwaysinline {
  call void @llvm.nvvm.cp.async.commit.group()
  ret void
}
