; A word that a slot leaves, and how many phases have passed it: whether that is wrong.
define internal i1 @wrong_phase(ptr addrspace(3) %barrier, i32 %phase) alwaysinline {
  %parity = and i32 %phase, 1
  %beyond = call i1 @llvm.nvvm.mbarrier.test.wait.parity.scope.cta.space.cta(ptr addrspace(3) %barrier, i32 %parity)
  %other = xor i32 %parity, 1
  %come = call i1 @llvm.nvvm.mbarrier.test.wait.parity.scope.cta.space.cta(ptr addrspace(3) %barrier, i32 %other)
  %short = xor i1 %come, true
  %wrong = or i1 %beyond, %short
  ret i1 %wrong
}
define internal i1 @wrong_count(ptr addrspace(3) %word, i32 %expected) alwaysinline {
  %value = load volatile i32, ptr addrspace(3) %word
  %wrong = icmp ne i32 %value, %expected
  ret i1 %wrong
}
define internal i32 @count_wrong(i1 %bad) alwaysinline {
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  %lanes = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %bad)
  %errors = call i32 @llvm.ctpop.i32(i32 %lanes)
  ret i32 %errors
}
