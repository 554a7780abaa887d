// The functions that a guarded text calls, as PTX. They depend on what the text may use, not on the
// text: many guarded kernels share them in one module.
#pragma once

#include "core/base/error.h"
#include "core/launch/guard_sites.h"
#include "core/ptx/file.h"

#include <cstdint>
#include <string>
#include <vector>

namespace phasebit::guard {

struct GuardHelpers {
  bool mbarrier = false;       // the text may use mbarriers: sm_80, PTX 7.0
  bool cluster = false;        // and clusters: sm_90, PTX 7.8
  bool print = false;          // a thread that gives up prints
  std::uint64_t limit_ns = 0;  // of the module's own block
};

// From <data root>/gen/guard/*.ptx. `sites` is for what is printed. Step::io when they are not
// there.
Result<std::vector<ptx::PlacedStatement>> helper_statements(
    const GuardHelpers& helpers, const std::vector<launch::WaitSite>& sites);

// In the site's number: the address is that of an mbarrier in the CTA's own shared memory, whose
// word can be read.
inline constexpr std::uint32_t guard_reads_word = 0x80000000U;
// Of a hardware barrier: to come through it is not progress of the grid.
inline constexpr std::uint32_t guard_no_progress = 0x40000000U;

}  // namespace phasebit::guard
