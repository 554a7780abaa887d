; To the next lap, when the slots are unrolled: every slot's phase is one further.
define internal void @{{r}}_advance_lap() alwaysinline {
{{#is.addressing.unrolled}}
  %parity = load i32, ptr @{{r}}_parity
  %turned = xor i32 %parity, 1
  store i32 %turned, ptr @{{r}}_parity
{{#counts_laps}}
  %lap = load i32, ptr @{{lap}}
  %laps = add i32 %lap, 1
  store i32 %laps, ptr @{{lap}}
{{/counts_laps}}
  %item = load i32, ptr @{{item}}
  %items = add i32 %item, {{num_stages}}
  store i32 %items, ptr @{{item}}
{{/is.addressing.unrolled}}
  ret void
}
