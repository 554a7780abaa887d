; Which image the first item takes.
define internal void @{{r}}_first_image() alwaysinline {
  %unit = load i32, ptr @unit
  store i32 %unit, ptr @{{r}}_image
  ret void
}
