// Machine code as the rules of a file see it (`phasebit sass gate`, `--rules`).
#pragma once

#include "analysis/cubin/instruction.h"
#include "analysis/gate/expectations.h"
#include "pipeline/images/sass_images.h"

#include <string>
#include <vector>

namespace phasebit::pipeline::images {

// Each variant in each column; those that a target cannot have are left out. Live registers are
// those of the kernels of which a rule limits them.
Result<std::vector<gate::GateSubject>> subjects_of(Tools& tools,
                                                   const disassembly::Disassembler& disassembler,
                                                   const std::vector<Prepared>& prepared,
                                                   const std::vector<CodeColumn>& columns,
                                                   const std::vector<gate::Expectation>& rules);

// The verdict of a rules file on kernels without a head, for their images. A file whose rules speak
// of none of them is an error, as is one with [[same]] or [[differ]], or no such kernel to gate. A
// kernel that no rule speaks of stays ungated.
Status gate_by_rules(Tools& tools, const disassembly::Disassembler& disassembler,
                     const std::string& file, const std::vector<Prepared>& prepared,
                     const CodeColumn& column, ImageSet& set);

}  // namespace phasebit::pipeline::images
