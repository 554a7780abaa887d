; The thread's role; uniform_role=on: that of its warp's first lane, so that ptxas knows that no warp parts on it.
define internal i32 @uniform_role() alwaysinline {
  %own = load i32, ptr @role
{{#is.uniform_role.on}}
  %role = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %own, i32 0, i32 31)
  ret i32 %role
{{/is.uniform_role.on}}
{{^is.uniform_role.on}}
  ret i32 %own
{{/is.uniform_role.on}}
}
