; What tensor copies read: the data, tile by tile.
{{> stride}}
define internal void @{{r}}_images(ptr %pb) alwaysinline {
  call void @{{r}}_take_stride(ptr %pb)
  ret void
}
