// From a variant's IR to its PTX, by LLVM.
#pragma once

#include "gen/llvm/worker.h"
#include "gen/render/render.h"

namespace phasebit::ir {

// `ir` is of Renderer::render_ir(). Each statement of the PTX has the source of the statement of IR
// that it came from, by the `.loc` lines that LLVM wrote; those are taken off, headings say the
// same (gen/render/kernel_file.h). Version and target are those of `options`. Step::render with the
// template and line of what LLVM does not take, in its own words.
Result<render::Rendered> lower(llvm::Worker& worker, const render::Rendered& ir,
                               const llvm::Options& options);

}  // namespace phasebit::ir
