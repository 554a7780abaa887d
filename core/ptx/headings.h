// Comments that mean something: headings, and the head above an entry.
#pragma once

#include "core/ptx/file.h"

#include <optional>
#include <string_view>
#include <vector>

namespace phasebit {

// "// [producer acquire] FILE.ptx:LINE". The words in brackets are role and verb; one word alone is
// a role where it is the name of one, else a verb; "-" is neither. Nothing for other lines.
std::optional<PtxHeading> heading_of_line(std::string_view line);

// The headings among the comments in `blanks`, which begin at line `line`.
std::vector<PtxHeading> headings_in(std::string_view blanks, int line);

// The lines "//@ ..." among them.
std::vector<PtxHeadLine> head_lines_in(std::string_view blanks, int line);

}  // namespace phasebit
