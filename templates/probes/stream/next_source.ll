define internal void @{{r}}_next_source() alwaysinline {
  %tile = load i32, ptr @{{r}}_tile
  %stride = load i32, ptr @{{r}}_stride
  %all = add i32 %tile, %stride
  %next = and i32 %all, {{last_tile}}
  store i32 %next, ptr @{{r}}_tile
  call void @{{r}}_place_source()
  ret void
}
