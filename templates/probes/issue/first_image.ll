; Which image the first item takes, or which tile: a launch goes on where the one before it ended.
define internal void @{{r}}_first_image() alwaysinline {
  %unit = load i32, ptr @unit
{{#is.resident.hbm}}
  %before = load i32, ptr @work_amount
  %first = add i32 %unit, %before
{{/is.resident.hbm}}
{{^is.resident.hbm}}
  %first = add i32 %unit, 0
{{/is.resident.hbm}}
  store i32 %first, ptr @{{r}}_image
  ret void
}
