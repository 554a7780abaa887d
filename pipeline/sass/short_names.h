// Names of C++ kernels as rows show them.
#pragma once

#include <string>
#include <vector>

namespace phasebit {

// Each in at most about `width` characters, what brackets hold left out. Names that would then be
// equal get what tells them apart behind them: "gemm<...>(...): half, 128".
std::vector<std::string> short_names(const std::vector<std::string>& names, std::size_t width);

}  // namespace phasebit
