// A cubin whose kernels lie elsewhere: NOPs before the first instruction of each, and everything
// that names a place in the code or in the file moved along. docs/decisions/placement.md says what
// that is.
#pragma once

#include "core/image/placement/code_moves.h"

#include <string>
#include <string_view>

namespace phasebit::cubin::change {

// What padding changes in the cubin, for one kernel or, without a name, for every one.
// Step::disassemble as ElfFile::open, where there is no such kernel, and by name for whatever may
// hold a place that is not known to move: a section, an attribute, a relocation.
Result<image::placement::CodeMoves> find_code_moves(std::string_view cubin,
                                                    const std::string& entry = {});

// find_code_moves and move_code in one.
Result<std::string> pad_cubin(std::string_view cubin, int padding_bytes,
                              const std::string& entry = {});

}  // namespace phasebit::cubin::change
