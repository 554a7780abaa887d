// A variant as a header of C++ functions (docs/emit.md): each verb is the statements that the
// variant's kernel has, in one asm statement.
#pragma once

#include "core/isa/version.h"
#include "core/ptx/head/head.h"
#include "join/emit/verb_text.h"
#include "join/select/space.h"

#include <string>
#include <vector>

namespace phasebit::join::emit {

struct EmitRequest {
  select::SpaceRequest space;
  std::vector<std::string> variants;  // ids or hashes
  std::vector<std::string> results;   // where the figure is; empty: the published
  std::string target, device;         // of the figure; "": those of the results
};

struct Emitted {
  std::string id, name;  // `name`: of files, without what a file name cannot hold
  std::string header, ptx;
};

// In the order of the request. Step::usage with the reason for a variant that has no header.
Result<std::vector<Emitted>> emit(const EmitRequest& request);

// What was measured of a variant: "101.00 ±0.01 cycles per item on ...".
struct MeasuredFigure {
  std::string text, target, ptxas;  // "" where nothing was
  std::string through_nvcc;         // of the header in a kernel that nvcc made (tools/emitted)
};

// What the header's text says beyond its functions.
struct HeaderFacts {
  std::string lowest_target;  // "sm_90"
  isa::Version ptx;           // that it needs
  MeasuredFigure figure;
};

// Of a kernel with headings. Step::usage where a verb needs what a header does not have.
Result<std::string> header_text(const VerbText& text, const ptx::head::Head& head,
                                const HeaderFacts& facts);

}  // namespace phasebit::join::emit
