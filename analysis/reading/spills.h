// How many bytes a kernel spills, read from its cubin.
#pragma once

#include "analysis/cubin/instruction.h"
#include "analysis/flow/features.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace phasebit::reading {

// By kernel, the addresses of the instructions that spill a register or take it back: ptxas 13.0
// and later marks each of them in `.nv.info.<kernel>` (EIATTR_ANNOTATIONS, "SpillRefill" for
// `cuobjdump -elf`). Kernels without a mark are left out, and all of them where the file cannot be
// read.
std::map<std::string, std::set<std::uint32_t>> read_spill_marks(std::string_view cubin);

// The same attribute of one kernel.
std::set<std::uint32_t> spill_marks(std::string_view nv_info_of_kernel);

// Bytes that an access of local memory moves for a thread: 8 of STL.64; 0 of other instructions.
int local_bytes(const cubin::Instruction& instruction);

// Of the instructions at these addresses, as `ptxas -v` counts spills: each instruction once, with
// all its bytes.
flow::SpillBytes spilled_bytes(const cubin::SassKernel& kernel,
                               const std::set<std::uint32_t>& marks);

// Of every access of local memory: spills, and arrays that registers cannot hold.
flow::SpillBytes local_bytes(const cubin::SassKernel& kernel);

}  // namespace phasebit::reading
