// The scheduling information in a 128-bit SASS word, sm_70 and later.
#pragma once

#include <cstdint>
#include <string>

namespace phasebit::cubin {

// One instruction as it stands in `.text`: low holds bits 0..63, high bits 64..127.
struct SassWord {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

struct Control {
  int stall_cycles = 0;      // bits 105..108: cycles until the next instruction may issue
  bool yield = false;        // bit 109, set when 0
  int write_scoreboard = 7;  // bits 110..112: released when the result is there; 7 = none
  int read_scoreboard = 7;   // bits 113..115: released when the operands were read; 7 = none
  int wait_mask = 0;         // bits 116..121: scoreboards 0..5 waited for
  int reuse = 0;             // bits 122..124: operand a, b, c kept in the operand cache
  friend bool operator==(const Control&, const Control&) = default;
};

Control decode_control(const SassWord& word);

// "06 Y W1 R- B0-2--- a--": stall, yield, write and read scoreboard, scoreboards waited for, reuse.
// Fixed width, so that listings line up; "-" stands for none.
std::string to_string(const Control& control);

}  // namespace phasebit::cubin
