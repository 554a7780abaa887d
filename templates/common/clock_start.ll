; A role's first clock read. The branch on it (never taken: zero is 0, which no compiler can know) ties the first timed
; operation to the read.
define internal void @{{role}}_clock_start() alwaysinline {
  %timer = call i64 @llvm.nvvm.read.ptx.sreg.globaltimer() nomerge
  store i64 %timer, ptr @timer_start
  %clock = call i64 @llvm.nvvm.read.ptx.sreg.clock64() nomerge
  store i64 %clock, ptr @clock_start
  %low = trunc i64 %clock to i32
  %zero = load i32, ptr @zero
  %tied = and i32 %low, %zero
  %never = icmp ne i32 %tied, 0
  call void @leave_if(i1 %never)
  ret void
}
