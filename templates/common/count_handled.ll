; Items this unit handled: it went from its number on in steps of the turns.
define internal void @{{r}}_count_handled() alwaysinline {
  %item = load i32, ptr @{{item}}
{{^turns_taken}}
  store i32 %item, ptr @handled
{{/turns_taken}}
{{#turns_taken}}
  %unit = load i32, ptr @unit
  %gone = sub i32 %item, %unit
  %gone.wide = zext i32 %gone to i64
  %scaled = mul i64 %gone.wide, u{{turns_reciprocal}}
  %high = lshr i64 %scaled, 32
  %handled = trunc i64 %high to i32
  store i32 %handled, ptr @handled
{{/turns_taken}}
  ret void
}
