// What a text asks of the launch and of where it runs, and does by it: what one run of the
// interpreter cannot show, as the answer is the same in all of it.
#pragma once

#include "core/ptx/file.h"

#include <string>
#include <vector>

namespace phasebit::protocol {

// Of an edited text, what the template of its key does not ask, a sentence with its line each:
// special registers; and, by verb and role, what comes to a branch, a guard, a selp, an address, or
// an operand of a barrier or copy from a special register that the head does not fix, a parameter,
// memory that a parameter names, or a register that nothing writes. Registers and state spaces are
// followed without order, so a value may seem to have more origins than it has, never fewer. And
// what ptxas is told of registers and loops otherwise: .maxnreg, .minnctapersm, .pragma "nounroll".
std::vector<std::string> asked_beyond(const ptx::PtxFile& own, const ptx::PtxFile& wanted);

}  // namespace phasebit::protocol
