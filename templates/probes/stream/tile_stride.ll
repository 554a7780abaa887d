; From one of this unit's tiles to the next: less than all, so that one subtraction brings it back.
define internal void @{{r}}_tile_stride() alwaysinline {
  %stride = load i32, ptr @{{r}}_stride
  %step = mul i32 %stride, {{turns}}
{{#tiles_are_power_of_two}}
  store i32 %step, ptr @{{r}}_stride
{{/tiles_are_power_of_two}}
{{^tiles_are_power_of_two}}
  %less = urem i32 %step, {{payload_period}}
  store i32 %less, ptr @{{r}}_stride
{{/tiles_are_power_of_two}}
  ret void
}
