// The page of kernels of files.
#pragma once

#include "analysis/listing/page.h"
#include "pipeline/sass/page/request.h"

namespace phasebit::pipeline::sass::page {

// A page holds so many instructions, codes of one row that are equal counted once: its file is then
// below 20 MB.
inline constexpr std::size_t most_page_instructions = 200'000;

// A row for each kernel, by its demangled name; a column for each file, target, or both. Kernels
// for which there is no room any more are named in Page::left_out. Step::usage for what is said of
// variants, for a --reference that is no column, and where not even the first kernel has room.
Result<listing::Page> page_of_files(const PageRequest& request);

}  // namespace phasebit::pipeline::sass::page
