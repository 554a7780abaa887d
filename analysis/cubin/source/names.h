// Symbols as people read them.
#pragma once

#include <cstddef>
#include <string>

namespace phasebit::cubin::source {

// "void scale<float, 64>(float*, float)" of "_Z5scaleIfLi64EEvPT_S0_"; "" of what is not a C++
// name.
std::string demangled(const std::string& symbol);

// What brackets hold is left out, the innermost first, until the name is no wider than `width`, or
// nothing is left to leave out: "gemm<...>(Tensor<...>)". A name with brackets without a partner
// stays whole.
std::string shortened(const std::string& name, std::size_t width);

}  // namespace phasebit::cubin::source
