#include "analysis/cubin/control.h"

#include <fmt/format.h>

namespace phasebit::cubin {
namespace {

int field(std::uint64_t high, int first_bit, int bits) {
  return static_cast<int>((high >> (first_bit - 64)) & ((1U << bits) - 1U));
}

std::string scoreboard(int number) {
  constexpr int none = 7;
  return number == none ? "-" : std::to_string(number);
}

// One column per bit: its character when set, '-' when not.
std::string mask(int bits, const char* characters) {
  std::string out;
  for (int i = 0; characters[i] != '\0'; ++i) out += ((bits >> i) & 1) != 0 ? characters[i] : '-';
  return out;
}

}  // namespace

Control decode_control(const SassWord& word) {
  Control control;
  control.stall_cycles = field(word.high, 105, 4);
  control.yield = field(word.high, 109, 1) == 0;
  control.write_scoreboard = field(word.high, 110, 3);
  control.read_scoreboard = field(word.high, 113, 3);
  control.wait_mask = field(word.high, 116, 6);
  control.reuse = field(word.high, 122, 3);
  return control;
}

std::string to_string(const Control& control) {
  return fmt::format("{:02} {} W{} R{} B{} {}", control.stall_cycles, control.yield ? 'Y' : '-',
                     scoreboard(control.write_scoreboard), scoreboard(control.read_scoreboard),
                     mask(control.wait_mask, "012345"), mask(control.reuse, "abc"));
}

}  // namespace phasebit::cubin
