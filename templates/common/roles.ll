; Which role, unit and rank this thread has.
define internal void @roles() alwaysinline {
  %tid = load i32, ptr @tid
  %lane = load i32, ptr @lane
  %warp = load i32, ptr @warp
{{#is.granularity.even_odd_lanes}}
  ; Even lanes produce, odd lanes consume.
  %odd = and i32 %lane, 1
  %role = add i32 %odd, 1
{{#turns_by_parity}}
  %unit = lshr i32 %tid, 5
  %rank = lshr i32 %lane, 1
{{/turns_by_parity}}
{{^turns_by_parity}}
  %unit = add i32 0, 0
  %rank = lshr i32 %tid, 1
{{/turns_by_parity}}
{{/is.granularity.even_odd_lanes}}
{{^is.granularity.even_odd_lanes}}
{{#is.roles.unified}}
  %role = add i32 0, 3
  %unit = add i32 0, 0
  %rank = add i32 %tid, 0
{{/is.roles.unified}}
{{#is.granularity.producer_warp}}
  ; The first warpgroup is the producer's: one of its warps produces, the others leave.
  %produces = icmp ult i32 %tid, 128
  %role = select i1 %produces, i32 1, i32 2
  %first = select i1 %produces, i32 0, i32 128
{{^second_warp_produces}}
  %all = sub i32 %tid, %first
{{/second_warp_produces}}
{{#second_warp_produces}}
  ; The second of its warps produces: its threads have the first ranks.
  %plain = sub i32 %tid, %first
  %further = add i32 %plain, 96
  %turned = and i32 %further, 127
  %all = select i1 %produces, i32 %turned, i32 %plain
{{/second_warp_produces}}
{{^takes_turns}}
  %unit = add i32 0, 0
  %rank = add i32 %all, 0
{{/takes_turns}}
{{#takes_turns}}
  %number = lshr i32 %all, 7
  %unit = select i1 %produces, i32 0, i32 %number
  %within = and i32 %all, 127
  %rank = select i1 %produces, i32 %all, i32 %within
{{/takes_turns}}
{{/is.granularity.producer_warp}}
{{^is.granularity.producer_warp}}
{{#is.roles.specialized}}
  ; Bit w of the masks says that warp w has the role; its rank among them is the number of bits below.
  %bit = shl i32 1, %warp
  %mine = and i32 %bit, u{{producer_warps_mask}}
  %produces = icmp ne i32 %mine, 0
  %role = select i1 %produces, i32 1, i32 2
  %mask = select i1 %produces, i32 u{{producer_warps_mask}}, i32 u{{consumer_warps_mask}}
  %under = sub i32 %bit, 1
  %lower = and i32 %under, %mask
  %below = call i32 @llvm.ctpop.i32(i32 %lower)
  %first = shl i32 %below, 5
  %all = add i32 %first, %lane
{{^takes_turns}}
  %unit = add i32 0, 0
  %rank = add i32 %all, 0
{{/takes_turns}}
{{#takes_turns}}
  ; Units that take turns: the rank is within the unit.
  %turns = select i1 %produces, i32 {{producer_turns}}, i32 {{consumer_turns}}
  %alone = icmp eq i32 %turns, 1
  %number = lshr i32 %below, {{warps_per_unit_log2}}
  %unit = select i1 %alone, i32 0, i32 %number
  %within = and i32 %all, {{last_thread_of_unit}}
  %rank = select i1 %alone, i32 %all, i32 %within
{{/takes_turns}}
{{/is.roles.specialized}}
{{/is.granularity.producer_warp}}
{{/is.granularity.even_odd_lanes}}
  store i32 %role, ptr @role
  store i32 %unit, ptr @unit
  store i32 %rank, ptr @rank
  ret void
}
