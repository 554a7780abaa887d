// The smallest PTX that shows a difference between two ways to assemble it.
#pragma once

#include "pipeline/images/prepare.h"
#include "pipeline/images/tools.h"
#include "pipeline/reduce/reduction.h"

#include <array>

namespace phasebit::pipeline::reduce {

// Makes the text smaller while one side has more of the opcode than the other, the same one as at
// first. The last text is assembled once more from the file as it is and read by nvdisasm: its
// counts are those of the sides. Step::usage when the sides are the same, do not differ, or have no
// such opcode; Step::toolchain when a ptxas is not installed; Step::assemble when a side refuses
// the text.
Result<Reduction> reduce_difference(images::Tools& tools, const images::Prepared& prepared,
                                    const std::array<ReduceSide, 2>& sides,
                                    const ReduceRequest& request);

}  // namespace phasebit::pipeline::reduce
