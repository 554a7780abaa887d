// Tensor maps in a head: `tensor_maps` of [resources].
#pragma once

#include "core/base/toml.h"
#include "core/ptx/head/head.h"

#include <string>

namespace phasebit::ptx::head {

// Adds to head.launch, and to head.where "tensor map NAME".
void read_tensor_map(const base::TomlValue& value, const std::string& file, Status& status,
                     Head& head);

// An inline table.
std::string tensor_map_text(const image::tensor::TensorMap& map);

}  // namespace phasebit::ptx::head
