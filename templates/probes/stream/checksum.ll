; The sum of all words: it needs no order, so it is quick enough for what memory delivers.
define internal void @{{r}}_checksum(i32 %word) alwaysinline {
  %checksum = load i32, ptr @checksum
  %sum = add i32 %checksum, %word
  store i32 %sum, ptr @checksum
  ret void
}
