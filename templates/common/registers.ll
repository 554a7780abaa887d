; What every verb may use, each thread its own: phasebit-llvm keeps thread_local variables in registers.
@pb_shared = external addrspace(3) global [0 x i8], align 128
@tile_map = internal thread_local global ptr null
@items = internal thread_local global i32 0
@zero = internal thread_local global i32 0
@seed = internal thread_local global i32 0
@work_amount = internal thread_local global i32 0
@samples = internal thread_local global ptr addrspace(1) null
@status = internal thread_local global ptr addrspace(1) null
@payload_out = internal thread_local global ptr addrspace(1) null
@guard_limit = internal thread_local global i64 0
@tid = internal thread_local global i32 0
@lane = internal thread_local global i32 0
@warp = internal thread_local global i32 0
@cta = internal thread_local global i32 0
@role = internal thread_local global i32 0
@rank = internal thread_local global i32 0
@unit = internal thread_local global i32 0
@rest_of_ring = internal thread_local global i1 false
@handled = internal thread_local global i32 0
@checksum = internal thread_local global i32 0
@chain = internal thread_local global float 0.0
@clock_start = internal thread_local global i64 0
@clock_end = internal thread_local global i64 0
@timer_start = internal thread_local global i64 0
@timer_end = internal thread_local global i64 0
; An address that LLVM takes for unknown, and keeps in a register: it would name @pb_shared anew in every turn, and ptxas
; then read SR_CgaCtaId there (docs/llvm.md). ptxas still knows which address it is.
define internal ptr addrspace(3) @kept(ptr addrspace(3) %address) alwaysinline {
  %kept = call ptr addrspace(3) @llvm.ptr.annotation.p3.p0(ptr addrspace(3) %address, ptr null, ptr null, i32 0, ptr null)
  ret ptr addrspace(3) %kept
}
; Of a loop that is not unrolled.
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
