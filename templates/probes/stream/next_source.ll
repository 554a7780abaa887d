{{> next_tile}}
define internal void @{{r}}_next_source() alwaysinline {
  call void @{{r}}_next_tile()
  call void @{{r}}_place_source()
  ret void
}
