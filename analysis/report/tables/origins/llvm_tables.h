// Variants by LLVM beside the same by the templates.
#pragma once

#include "analysis/report/data/report_data.h"
#include "core/table/table.h"

namespace phasebit::report::tables::origins {

// A row for each probe, protocol and mover: of the variants that both origins were measured of on a
// GPU, at LLVM's usual choices (-O2, 32-bit addresses in shared memory), cycles by LLVM over cycles
// by the templates. Of the GPU that is asked for lowest, median and highest and the variant of the
// highest; of others how many are at most 5 % slower. `refused`: no figure by LLVM, one by the
// templates. Arguments are axes that the variants have these values of. Step::usage without a pair.
Result<table::Table> llvm_table(const data::ReportData& data,
                                const data::TableArguments& arguments);

// A row for each variant that was measured at other choices too: cycles by the templates, by LLVM
// at -O0 to -O3, and at -O2 with 64-bit addresses. Arguments and errors as llvm_table.
Result<table::Table> llvm_levels_table(const data::ReportData& data,
                                       const data::TableArguments& arguments);

}  // namespace phasebit::report::tables::origins
