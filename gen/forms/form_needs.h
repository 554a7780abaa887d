// What a form needs of PTX and the architecture.
#pragma once

#include "core/isa/version.h"
#include "gen/forms/form.h"

#include <string>

namespace phasebit::forms {

struct FormNeeds {
  isa::Version ptx;    // of the form and of the kernel's own statements around it
  int sm = 0;          // of the lowest target that takes the form
  std::string suffix;  // "a" or "f" when only such targets take it
  int around_sm = 0;   // of the statements around it; 0: any
  std::string reason;
};

// Step::usage for an unknown id, with the nearest one.
Result<FormNeeds> form_needs(const FormBook& book, const std::string& id);

}  // namespace phasebit::forms
