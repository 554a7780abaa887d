define internal void @{{r}}_next_tile() alwaysinline {
  %tile = load i32, ptr @{{r}}_tile
  %stride = load i32, ptr @{{r}}_stride
  %all = add i32 %tile, %stride
{{#tiles_are_power_of_two}}
  %next = and i32 %all, {{last_tile}}
{{/tiles_are_power_of_two}}
{{^tiles_are_power_of_two}}
  %wrapped = icmp uge i32 %all, {{payload_period}}
  %back = sub i32 %all, {{payload_period}}
  %next = select i1 %wrapped, i32 %back, i32 %all
{{/tiles_are_power_of_two}}
  store i32 %next, ptr @{{r}}_tile
  ret void
}
