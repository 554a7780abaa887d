// The line table of a cubin: a reader of DWARF line programs, versions 2 to 5.
#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

namespace phasebit {

// What the linker would have written at one place of `.debug_line`: an address in a section.
struct AddressFixup {
  std::size_t section = 0;   // index of the ELF section that the address lies in
  std::uint64_t offset = 0;  // from the start of that section
};
using AddressFixups = std::map<std::uint64_t, AddressFixup>;  // by offset in .debug_line

// From `address` on the code belongs to `line`, up to the next row; line 0 ends a sequence.
struct LineRow {
  std::uint64_t address = 0;
  int line = 0;
};

// Rows of each ELF section, ascending by address.
using LineTable = std::map<std::size_t, std::vector<LineRow>>;

// Only the line column is kept: a generated kernel has one source file. Sequences whose address has
// no fixup belong to no section and are left out. Step::disassemble when the section is damaged.
Result<LineTable> read_debug_line(std::string_view section, const AddressFixups& fixups);

// The line of an address, 0 when the rows do not cover it.
int line_at(const std::vector<LineRow>& rows, std::uint64_t address);

}  // namespace phasebit
