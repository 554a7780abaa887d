// Where the text of a kernel comes from, as its key says (docs/architecture.md).
#pragma once

#include "core/image/variant_key.h"

#include <string>

namespace phasebit::record {

enum class Origin { template_, form, tuned, snippet, file, nvcc, llvm };
std::string to_string(Origin origin);

// Of the axes that a key names. What nvcc made is a file too; its own axis says more.
Origin origin_of(const image::KeyAxes& axes);

}  // namespace phasebit::record
