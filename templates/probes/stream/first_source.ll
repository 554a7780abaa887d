; A launch goes on where the one before it ended.
define internal void @{{r}}_first_source() alwaysinline {
  %unit = load i32, ptr @unit
  %stride = load i32, ptr @{{r}}_stride
  %cta = load i32, ptr @cta
  %before = load i32, ptr @work_amount
  %own = mul i32 %unit, %stride
  %tile = add i32 %own, %cta
  %all = add i32 %tile, %before
  %first = and i32 %all, {{last_tile}}
  store i32 %first, ptr @{{r}}_tile
  %step = mul i32 %stride, {{turns}}
  store i32 %step, ptr @{{r}}_stride
  call void @{{r}}_place_source()
  ret void
}
