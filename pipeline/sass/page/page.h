// Variants, or kernels of code files, side by side as one HTML file.
#pragma once

#include "pipeline/sass/page/request.h"

namespace phasebit::pipeline::sass::page {

// Writes it, and says what it holds. What a page of files has no room for is a note on standard
// error and on the page.
Result<std::string> sass_page(const PageRequest& request);

}  // namespace phasebit::pipeline::sass::page
