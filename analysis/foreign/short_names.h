// Names of kernels for a message: short.
#pragma once

#include <string>
#include <vector>

namespace phasebit::foreign {

// A name of up to `width` characters as it is. Of a longer one its beginning and what tells it
// apart from those that begin alike: "void gemm<cutlass::Very...64, 128>(Params)". One for each
// name, in their order.
std::vector<std::string> short_names(const std::vector<std::string>& names, std::size_t width = 72);

}  // namespace phasebit::foreign
