// What a kernel is called: by the compiler, and by people.
#pragma once

#include "analysis/cubin/source/names.h"

#include <string>
#include <vector>

namespace phasebit::foreign {

struct Names {
  std::string symbol;  // as it stands
  std::string text;    // demangled; "" of what is no C++ name
  std::string name;    // that without what it takes and gives back
};
Names names_of(const std::string& symbol);

// What patterns may call it: the symbol, and of a C++ name also its demangled form, that without
// what it takes and gives back ("ns::copy<float, 3>"), and without what its template was given
// ("ns::copy").
std::vector<std::string> kernel_names(const std::string& symbol);

// For messages: without what it takes and gives back, and with "<...>" for long arguments of
// templates.
std::string short_kernel_name(const std::string& symbol);

// As it is: demangled, or the symbol of what is no C++ name.
std::string full_kernel_name(const std::string& symbol);

}  // namespace phasebit::foreign
