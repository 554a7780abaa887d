// The line table of a cubin, read by libdw: DWARF line programs of versions 2 to 5, with what ptxas
// adds to them.
#pragma once

#include "analysis/cubin/source/lines.h"
#include "core/base/error.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::cubin {

// Sections that DWARF 5 keeps names in; empty where the file has no such section.
struct LineStrings {
  std::string_view line_str;  // .debug_line_str
  std::string_view str;       // .debug_str
};

// What the linker would have written at one place of `.debug_line`: an address in a section.
struct AddressFixup {
  std::size_t section = 0;   // index of the ELF section that the address lies in
  std::uint64_t offset = 0;  // from the start of that section
};
using AddressFixups = std::map<std::uint64_t, AddressFixup>;  // by offset in .debug_line

// From `address` on the code belongs to `line`, up to the next row; line 0 ends a sequence.
struct LineRow {
  std::uint64_t address = 0;
  int line = 0;    // the innermost one of code that was inlined
  int frame = -1;  // of LineTable::source; -1 with line 0
};

struct LineTable {
  source::SourceTable source;                            // files in the order of the units
  std::map<std::size_t, std::vector<LineRow>> sections;  // of the ELF file; ascending by address
};

// Sequences whose address has no fixup belong to no section and are left out. What a line was
// inlined into says NVIDIA's own opcode 0x90 of the line program: an earlier row of its unit, and
// the function's name in `.debug_str`. Step::disassemble when the section is damaged.
Result<LineTable> read_debug_line(std::string_view section, const AddressFixups& fixups,
                                  const LineStrings& strings = {});

// The row of an address; line 0 when the rows do not cover it.
LineRow row_at(const std::vector<LineRow>& rows, std::uint64_t address);

}  // namespace phasebit::cubin
