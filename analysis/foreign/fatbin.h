// Where fatbins lie in a file that holds some: the outer layout only.
#pragma once

#include "core/base/error.h"

#include <string_view>
#include <vector>

namespace phasebit {

// The fatbins of a fatbin file, or of the sections .nv_fatbin and __nv_relfatbin of a host object,
// executable or library, in their order; each with its header, as cuobjdump takes it. The views
// point into `bytes`. `name` stands for the file in messages. Step::disassemble when it is neither,
// has no such section, or a fatbin is cut short.
//
// The outer header is {magic 0xba55ed50, 16-bit version, 16-bit size of the header, 64-bit size of
// what follows}, as CUDA's headers declared it up to toolkit 9 (fatBinaryCtl.h); the names of the
// sections stand in fatbinary_section.h of every toolkit. What is inside is cuobjdump's affair.
Result<std::vector<std::string_view>> find_fatbins(std::string_view bytes, std::string_view name);

}  // namespace phasebit
