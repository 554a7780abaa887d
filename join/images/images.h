// From prepared variants to images.
#pragma once

#include "gen/ptxas/assembler.h"
#include "join/images/prepare.h"
#include "join/images/tools.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace phasebit::join::images {

struct ImageSet {
  std::vector<Result<launch::Image>> images;        // one a variant, in order
  std::shared_ptr<const ptxas::Assembly> assembly;  // of all columns: holds or finds the modules
};

// Assembles with `.loc`, which leaves the code as it is and leads each instruction to its line, for
// each column, every variant by the ptxas and with the flags that its axes or the
// column name; in one go for each choice of these, so that no core waits at the end of a column.
// Entries without a gate result have the verdict "ungated".
std::vector<ImageSet> make_images(Tools& tools, const std::vector<Prepared>& prepared,
                                  const std::vector<CodeColumn>& columns);

// How a variant is assembled in a column.
ptxas::AssemblerChoice choice_of(const Prepared& prepared, const CodeColumn& column);

// What the variant's window must hold in that column.
Result<isa::GateSpec> gate_of(const Prepared& prepared, Tools& tools, const CodeColumn& column);

}  // namespace phasebit::join::images
