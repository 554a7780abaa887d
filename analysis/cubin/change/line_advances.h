// Where a table of lines must say that code begins later.
#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace phasebit::cubin::change {

// Sections of line programs.
bool has_lines(std::string_view section);

struct LineAdvances {
  // Behind the address that a sequence begins with, in the section: there the address is advanced.
  // (An address of its own in the relocation would say the same, but nvdisasm -g then prints no
  // line of the kernel.)
  std::vector<std::uint64_t> places;  // ascending
  struct Unit {
    std::uint64_t at = 0;  // of its length, 4 bytes
    std::uint64_t advances = 0;
  };
  std::vector<Unit> units;
};

// Of a section of DWARF line programs, for the sequences whose addresses lie at `addresses`
// (ascending). Step::disassemble where one is no address of a sequence, and for units of 64 bits.
Result<LineAdvances> line_advances(std::string_view section,
                                   const std::vector<std::uint64_t>& addresses);

}  // namespace phasebit::cubin::change
