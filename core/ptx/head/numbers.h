// Numbers of an inline table, checked for their range.
#pragma once

#include "core/base/toml.h"

#include <limits>
#include <string_view>
#include <vector>

namespace phasebit::ptx::head {

template <typename Number>
std::vector<Number> numbers(base::TomlReader& reader, std::string_view key) {
  std::vector<Number> all;
  const base::TomlValue* value = reader.find(key);
  if (value == nullptr) return all;
  static_cast<void>(reader.words(key));  // refuses what is no list
  for (const base::TomlValue& item : value->items) {
    const bool fits = item.number >= std::numeric_limits<Number>::min() &&
                      item.number <= std::numeric_limits<Number>::max();
    if (item.kind != base::TomlValue::Kind::number || !fits)
      reader.refuse(key, "holds what is no whole number, or one out of range");
    all.push_back(static_cast<Number>(item.number));
  }
  return all;
}

// 0 or more, or `least` where that is said.
inline int number(base::TomlReader& reader, std::string_view key, int fallback, int least = 0) {
  const std::int64_t value = reader.number_or(key, fallback);
  if (reader.has(key) && (value < least || value > std::numeric_limits<int>::max()))
    reader.refuse(key, fmt::format("{} is out of range", value), fmt::format("{} or more", least));
  return static_cast<int>(value);
}

}  // namespace phasebit::ptx::head
