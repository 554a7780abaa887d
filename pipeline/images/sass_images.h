// Machine code of many variants on many targets, with as few runs of nvdisasm as can be.
#pragma once

#include "analysis/disassembly/disassembler.h"
#include "analysis/flow/window.h"
#include "pipeline/images/images.h"

#include <functional>
#include <string>
#include <vector>

namespace phasebit::pipeline::images {

struct AnalysedImage {
  cubin::SassKernel kernel;  // with the statement of each instruction
  std::vector<flow::RoleWindow> windows;
  image::Resources resources;
};

// Takes the image of columns[column] and prepared[variant], or why there is none. Called once for
// each pair, from several threads.
using VisitImage =
    std::function<void(std::size_t column, std::size_t variant, Result<AnalysedImage> image)>;

// Whether live registers are asked for, of the image of columns[column] and prepared[variant].
using WantsLive = std::function<bool(std::size_t column, std::size_t variant)>;

// Assembles with `.loc` (the code is the same, and each instruction leads to its line), through the
// cache. Equal code of one SM is disassembled once, whichever column it is in. Live registers take
// a run of nvdisasm for each module that has some asked for. The error says that nothing could be
// done.
Status analyse_images(Tools& tools, const disassembly::Disassembler& disassembler,
                      const std::vector<Prepared>& prepared, const std::vector<CodeColumn>& columns,
                      const VisitImage& visit, const WantsLive& wants_live = {});

}  // namespace phasebit::pipeline::images
