// The opcodes of PTX, by their first word.
#pragma once

#include <string_view>

namespace phasebit::ptx {

// Whether a statement's opcode is one of PTX; "mbarrier.test_wait.shared.b64" is.
bool is_ptx_opcode(std::string_view opcode);

}  // namespace phasebit::ptx
