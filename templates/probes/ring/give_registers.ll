; The producer's warpgroup hands registers over; then the warps of it that produce nothing leave.
define internal void @{{r}}_give_registers() alwaysinline {
{{#is.granularity.producer_warp}}
  {{ir_give_registers}}
  %rank = load i32, ptr @rank
  %idle = icmp uge i32 %rank, 32
  call void @leave_if(i1 %idle)
{{/is.granularity.producer_warp}}
  ret void
}
