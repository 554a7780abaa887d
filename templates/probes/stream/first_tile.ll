; A launch goes on where the one before it ended.
define internal void @{{r}}_first_tile() alwaysinline {
  %unit = load i32, ptr @unit
  %stride = load i32, ptr @{{r}}_stride
  %cta = load i32, ptr @cta
  %before = load i32, ptr @work_amount
  %own = mul i32 %unit, %stride
  %tile = add i32 %own, %cta
  %all = add i32 %tile, %before
{{#tiles_are_power_of_two}}
  %first = and i32 %all, {{last_tile}}
{{/tiles_are_power_of_two}}
{{^tiles_are_power_of_two}}
  %first = urem i32 %all, {{payload_period}}
{{/tiles_are_power_of_two}}
  store i32 %first, ptr @{{r}}_tile
  ret void
}
