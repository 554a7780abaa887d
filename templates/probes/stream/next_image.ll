{{> next_tile}}
define internal void @{{r}}_next_image() alwaysinline {
  call void @{{r}}_next_tile()
  %tile = load i32, ptr @{{r}}_tile
  store i32 %tile, ptr @{{r}}_image
  ret void
}
