; Whether there is an item `ahead` turns further, and its barrier and parity.
define internal i1 @{{r}}_is_ahead(i32 %items_ahead) alwaysinline {
  %item = load i32, ptr @{{item}}
  %index = add i32 %item, %items_ahead
  %items = load i32, ptr @items
  %more = icmp ult i32 %index, %items
  ret i1 %more
}
{{#is.addressing.runtime}}
define internal { ptr addrspace(3), i32 } @{{r}}_ahead(i32 %slots, i1 %odd) alwaysinline {
  %slot = load i32, ptr @{{r}}_slot
  %there = add i32 %slot, %slots
  %wrapped = icmp uge i32 %there, {{num_stages}}
  %back = sub i32 %there, {{num_stages}}
  %place = select i1 %wrapped, i32 %back, i32 %there
  %parity = load i32, ptr @{{parity}}
  %flips = xor i1 %odd, %wrapped
  %flip = zext i1 %flips to i32
  %ahead = xor i32 %parity, %flip
  %offset = shl i32 %place, 3
  %ring = load ptr addrspace(3), ptr @{{r}}_ring
  %barrier = getelementptr i8, ptr addrspace(3) %ring, i32 %offset
{{/is.addressing.runtime}}
{{#is.addressing.unrolled}}
define internal { ptr addrspace(3), i32 } @{{r}}_ahead(i32 %offset, i1 %next_lap) alwaysinline {
  %parity = load i32, ptr @{{parity}}
  %flip = zext i1 %next_lap to i32
  %ahead = xor i32 %parity, %flip
  %first = load ptr addrspace(3), ptr @{{r}}_barrier
  %barrier = getelementptr i8, ptr addrspace(3) %first, i32 %offset
{{/is.addressing.unrolled}}
  %pair = insertvalue { ptr addrspace(3), i32 } poison, ptr addrspace(3) %barrier, 0
  %both = insertvalue { ptr addrspace(3), i32 } %pair, i32 %ahead, 1
  ret { ptr addrspace(3), i32 } %both
}
