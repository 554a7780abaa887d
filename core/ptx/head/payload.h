// `payload`, `stored` and `data` of [expects]: what a slot holds, what becomes of it, what a grid
// reads.
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
// What stands for `product` in it.
std::string product_text(const image::product::ProductShape& product);

void read_stored(const base::TomlValue& value, const std::string& file, Status& status, Head& head);
std::string stored_text(const image::stores::StoreShape& stored);

void read_data(const base::TomlValue& value, const std::string& file, Status& status, Head& head);
std::string data_text(const image::DataShape& data, const image::PayloadShape& payload);

}  // namespace phasebit::ptx::head
