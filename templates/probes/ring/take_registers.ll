; A consumer's warpgroup takes what the producer's handed over.
define internal void @{{r}}_take_registers() alwaysinline {
  {{ir_take_registers}}
  ret void
}
