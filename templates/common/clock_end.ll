; A role's last clock read, tied to the checksum's last word and the last work. Waits tie themselves: their exit is a
; branch on the wait's result.
define internal void @{{role}}_clock_end() alwaysinline {
  %chain = load float, ptr @chain
  %last = bitcast float %chain to i32
  %checksum = load i32, ptr @checksum
  %both = xor i32 %last, %checksum
  %zero = load i32, ptr @zero
  %tied = and i32 %both, %zero
  %never = icmp ne i32 %tied, 0
  call void @leave_if(i1 %never)
  %clock = call i64 @llvm.nvvm.read.ptx.sreg.clock64() nomerge
  store i64 %clock, ptr @clock_end
  %timer = call i64 @llvm.nvvm.read.ptx.sreg.globaltimer() nomerge
  store i64 %timer, ptr @timer_end
  ret void
}
