// The [key] of a head, held against the catalogue.
#pragma once

#include "core/ptx/head/head.h"
#include "gen/catalogue/catalogue.h"

namespace phasebit::render {

// The whole key: axes that the head leaves out have their defaults, an id that it leaves out is
// made. With `origin = "file"` at least one component is the file's own: axes that the catalogue
// does not declare for the others are free, the id names every axis, and the head must say what no
// catalogue does: rules, and what a launch verifies. Step::spec with file, line, key and what to
// write.
Result<image::VariantKey> check_head_key(const catalogue::Catalogue& catalogue,
                                         const ptx::head::Head& head);

}  // namespace phasebit::render
