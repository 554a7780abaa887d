// `payload` of [expects]: what a slot holds.
#pragma once

#include "core/base/toml.h"
#include "core/ptx/head/head.h"

#include <string>

namespace phasebit::ptx::head {

// Into head.launch.
void read_payload(const base::TomlValue& value, const std::string& file, Status& status,
                  Head& head);
// An inline table.
std::string payload_text(const image::PayloadShape& payload);

}  // namespace phasebit::ptx::head
