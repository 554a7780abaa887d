// What an mbarrier's 64-bit word says, on the architectures where an experiment has shown it
// (docs/isa-notes.md; `phasebit report --table barrier_word` derives the fields from what was
// read).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace phasebit::isa {

struct BarrierWord {
  int layout = 0;  // 0, 1
  int parity = 0;  // of the phase in progress
  std::uint32_t pending_arrivals = 0;
  std::uint32_t expected_arrivals = 0;  // of the next phase
  std::int32_t pending_bytes =
      0;  // announced and not complete; negative: complete and not announced
};

// `sm` is the compute capability, 90 for Hopper. Nothing where the layout is not known.
std::optional<BarrierWord> decode_barrier_word(std::uint64_t word, int sm);

// "word 0x7ffce800001fff38: parity 0, 99 of 100 arrivals and 0 bytes pending", or the bare word.
std::string describe_barrier_word(std::uint64_t word, int sm);

}  // namespace phasebit::isa
