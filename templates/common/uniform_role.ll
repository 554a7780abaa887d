; The thread's role; uniform_role=on: that of its warp's first lane, so that ptxas knows that no warp parts on it.
define internal i32 @uniform_role() alwaysinline {
  %own = load i32, ptr @role
{{#has_uniform_role}}
  %role = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %own, i32 0, i32 31)
  ret i32 %role
{{/has_uniform_role}}
{{^has_uniform_role}}
  ret i32 %own
{{/has_uniform_role}}
}
