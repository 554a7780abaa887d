define internal void @{{r}}_next_image() alwaysinline {
  %image = load i32, ptr @{{r}}_image
  %next = add i32 %image, {{turns}}
  %wrapped = icmp uge i32 %next, {{payload_period}}
  %back = sub i32 %next, {{payload_period}}
  %there = select i1 %wrapped, i32 %back, i32 %next
  store i32 %there, ptr @{{r}}_image
  ret void
}
