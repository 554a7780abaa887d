; checksum = checksum * multiplier + word: an order-sensitive check in one instruction a word.
define internal void @{{r}}_checksum(i32 %word) alwaysinline {
  %checksum = load i32, ptr @checksum
  %scaled = mul i32 %checksum, u{{checksum_multiplier}}
  %sum = add i32 %scaled, %word
  store i32 %sum, ptr @checksum
  ret void
}
