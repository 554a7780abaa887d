// Registers live at each instruction, as nvdisasm finds them.
#pragma once

#include "analysis/cubin/instruction.h"
#include "analysis/disassembly/disassembler.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::disassembly {

// Counts by address, of each kernel by its name. The NOPs that fill a section have no counts.
using LiveTable = std::map<std::string, std::map<std::uint32_t, cubin::LiveCounts>>;

// Reads what `nvdisasm -plr` prints, in each of its modes. Step::disassemble when there is no
// count in it.
Result<LiveTable> parse_life_ranges(std::string_view text);

// One more run of nvdisasm, which prints either life ranges or JSON. `functions` as in
// Disassembler::run. It follows registers only in files of CUDA 13's layout, so an older file is
// given that file's header (the code stays as it is). Step::disassemble when nvdisasm cannot follow
// the code.
Result<LiveTable> live_registers(const Disassembler& disassembler, std::string_view cubin,
                                 const std::vector<std::size_t>& functions = {});

// Gives each instruction its counts. Step::disassemble when one in use has no counts.
Status add_live_registers(cubin::SassKernel& kernel, const LiveTable& table);

// The file with the header of CUDA 13's layout; unchanged when it has that or is not a cubin.
std::string with_present_header(std::string_view cubin);

}  // namespace phasebit::disassembly
