// From prepared variants to images: assembled, and gated.
#pragma once

#include "analysis/sass/disassembler.h"
#include "cli/prepare.h"
#include "cli/tools.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace phasebit {

struct ImageSet {
  std::vector<Result<Image>> images;         // one a variant, in order
  std::shared_ptr<const Assembly> assembly;  // of all targets: holds or finds the modules
};

// Assembles for each target, in one go so that no core waits at the end of one. Entries without a
// gate result have the verdict "ungated".
std::vector<ImageSet> make_images(Tools& tools, const std::vector<Prepared>& prepared,
                                  const std::vector<std::string>& targets);

// Assembles the timed kernels once more with `.loc`, checks that the code is the same byte for
// byte, and gates each image by its census. Images that failed to assemble are left as they are; a
// kernel whose code differs with `.loc`, or cannot be read, becomes an error.
Status gate_images(Tools& tools, const Disassembler& disassembler, const Catalogue& catalogue,
                   const std::vector<Prepared>& prepared, const std::string& target, ImageSet& set);

// What the variant's window must hold on that target.
Result<GateSpec> gate_of(const Catalogue& catalogue, const Prepared& prepared, const Tools& tools,
                         const std::string& target);

}  // namespace phasebit
