; To the next item of this role, when the slot is addressed at run time.
define internal void @{{r}}_advance() alwaysinline {
{{#is.addressing.runtime}}
  %parity = load i32, ptr @{{parity}}
{{#single_stage}}
  %turned = xor i32 %parity, {{lap_parity}}
  store i32 %turned, ptr @{{parity}}
{{#counts_laps}}
  %lap = load i32, ptr @{{lap}}
  %laps = add i32 %lap, {{laps_a_step}}
  store i32 %laps, ptr @{{lap}}
{{/counts_laps}}
{{/single_stage}}
{{^single_stage}}
  %slot = load i32, ptr @{{r}}_slot
  %next = add i32 %slot, {{slot_step}}
  %wrapped = icmp uge i32 %next, {{num_stages}}
  %back = sub i32 %next, {{num_stages}}
  %there = select i1 %wrapped, i32 %back, i32 %next
  store i32 %there, ptr @{{r}}_slot
{{#odd_laps}}
  %lapped = xor i32 %parity, 1
{{/odd_laps}}
{{^odd_laps}}
  %lapped = xor i32 %parity, 0
{{/odd_laps}}
  %flip = zext i1 %wrapped to i32
  %turned = xor i32 %lapped, %flip
  store i32 %turned, ptr @{{parity}}
{{#counts_laps}}
  %lap = load i32, ptr @{{lap}}
  %step = add i32 %flip, {{laps_a_step}}
  %laps = add i32 %lap, %step
  store i32 %laps, ptr @{{lap}}
{{/counts_laps}}
{{#uses_barrier_address}}
  call void @{{r}}_place_barrier()
{{/uses_barrier_address}}
{{#has_payload}}
  call void @{{r}}_place_payload()
{{/has_payload}}
{{/single_stage}}
  %item = load i32, ptr @{{item}}
  %items = add i32 %item, {{turns}}
  store i32 %items, ptr @{{item}}
{{/is.addressing.runtime}}
  ret void
}
