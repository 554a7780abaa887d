// The header of a DWARF line program: what its opcodes need, and its table of files.
#pragma once

#include "analysis/cubin/lines/dwarf_cursor.h"
#include "core/base/error.h"

#include <string>
#include <string_view>
#include <vector>

namespace phasebit {

// Sections that DWARF 5 keeps names in; empty where the file has none.
struct LineStrings {
  std::string_view line_str;  // .debug_line_str
  std::string_view str;       // .debug_str
};

struct LineHeader {
  std::uint8_t min_instruction_length = 1;
  std::int8_t line_base = 0;
  std::uint8_t line_range = 1;
  std::uint8_t opcode_base = 1;
  std::vector<std::uint8_t> operand_counts;  // of the standard opcodes 1 .. opcode_base-1
  int first_file = 1;                        // the number of files[0]: 0 from DWARF 5 on
  std::vector<std::string> files;            // with their folder: "/home/u/k.cu", "sub/inc.cuh"
};

// From the version on (DWARF 2 to 4, section 6.2.4; DWARF 5, section 6.2.4). Leaves the cursor at
// the first opcode. Step::disassemble when it is damaged or of another version.
Result<LineHeader> read_line_header(DwarfCursor& cursor, bool is_64_bit,
                                    const LineStrings& strings);

}  // namespace phasebit
