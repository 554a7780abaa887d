// Listings of raw code: codes of one SM laid end to end, which nvdisasm reads in one run.
#pragma once

#include "analysis/cubin/cubin.h"
#include "analysis/disassembly/nvdisasm_json.h"

#include <vector>

namespace phasebit::disassembly {

// The listing of each code, of so many bytes, in their order; addresses count from the start of
// each. Step::disassemble when the instructions are not as many.
Result<std::vector<DisassembledFunction>> split_raw(Disassembly raw,
                                                    const std::vector<std::size_t>& sizes);

// Puts names where raw code has none: the kernel's and its functions' in calls and returns, the
// symbol's where a relocation fills an operand in ("32@lo(counter+0x8)", "c[0x3][table+0x4]").
void name_operands(DisassembledFunction& function, const cubin::CubinKernel& kernel);

}  // namespace phasebit::disassembly
