{{> first_tile}}
{{> tile_stride}}
define internal void @{{r}}_first_source() alwaysinline {
  call void @{{r}}_first_tile()
  call void @{{r}}_tile_stride()
  call void @{{r}}_place_source()
  ret void
}
