; The items of a turn of the loop, where it holds one item several times.
define internal void @{{r}}_count_copies() alwaysinline {
{{#has_copies}}
  %item = load i32, ptr @{{item}}
  %items = add i32 %item, {{num_copies}}
  store i32 %items, ptr @{{item}}
{{/has_copies}}
  ret void
}
; One of several copies knows its parity.
define internal void @{{r}}_set_parity(i32 %parity) alwaysinline {
  store i32 %parity, ptr @{{r}}_parity
  ret void
}
define internal void @{{r}}_count_lap() alwaysinline {
{{#counts_laps}}
  %lap = load i32, ptr @{{lap}}
  %laps = add i32 %lap, {{laps_a_step}}
  store i32 %laps, ptr @{{lap}}
{{/counts_laps}}
  ret void
}
; An even number of copies ends in the phase that it began in.
define internal void @{{r}}_restore_parity() alwaysinline {
{{#has_copies}}
  store i32 {{first_parity}}, ptr @{{r}}_parity
{{/has_copies}}
  ret void
}
