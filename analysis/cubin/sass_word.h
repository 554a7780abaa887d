// The scheduling information in a 128-bit SASS word, sm_70 and later.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace phasebit::cubin {

// One instruction as it is in `.text`: low holds bits 0..63, high bits 64..127.
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

// Constant memory that an instruction names: c[bank][offset].

inline constexpr int variables_bank = 3;  // `__constant__` variables

// 3 of the sections ".nv.constant3" and ".nv.constant3.k"; -1 of any other.
int constant_bank(std::string_view section);

struct ConstantOperand {
  int bank = 0;
  std::uint32_t offset = 0;  // bytes
  bool indexed = false;      // a register is added to the offset
  std::uint32_t bytes = 4;   // how many are read; where that is not known, as many as may be
};

// What the word of an instruction names, sm_75 to sm_121. The fields are those of what ptxas makes;
// the tests check them against nvdisasm's operands. A word that has the form of one and names no
// constant may be taken for one, never the other way round.
std::optional<ConstantOperand> constant_operand(const SassWord& word);

}  // namespace phasebit::cubin
