// The word by which rows and images name their exact class.
#pragma once

#include "core/image/launch.h"
#include "core/image/whole.h"

#include <string>

namespace phasebit::image {

// Of a hash of the code with all that decides what it does, and the launch shape: images of one
// word are measured once. docs/decisions/sass-class.md says why it ends in its version.
std::string sass_class_word(const std::string& code_class, const LaunchShape& launch);

// The same of a kernel that is launched as somebody says.
std::string sass_class_word(const std::string& code_class, const WholeLaunch& whole);

}  // namespace phasebit::image
