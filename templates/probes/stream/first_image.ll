{{> first_tile}}
{{> tile_stride}}
define internal void @{{r}}_first_image() alwaysinline {
  call void @{{r}}_first_tile()
  call void @{{r}}_tile_stride()
  %tile = load i32, ptr @{{r}}_tile
  store i32 %tile, ptr @{{r}}_image
  ret void
}
