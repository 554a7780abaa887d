// Reading a JSON object strictly: every key known, every value of its type, the first mistake kept.
#pragma once

#include "core/base/text.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace phasebit::base {

// False when the value is not one of the type, or out of its range.
inline bool read_json(const nlohmann::ordered_json& value, std::string& out) {
  if (value.is_string()) out = value.get<std::string>();
  return value.is_string();
}
inline bool read_json(const nlohmann::ordered_json& value, bool& out) {
  if (value.is_boolean()) out = value.get<bool>();
  return value.is_boolean();
}
inline bool read_json(const nlohmann::ordered_json& value, double& out) {
  if (value.is_number()) out = value.get<double>();
  return value.is_number() && std::isfinite(out);
}
inline bool read_json(const nlohmann::ordered_json& value, std::vector<std::string>& out) {
  if (!value.is_array()) return false;
  return std::all_of(value.begin(), value.end(), [&](const nlohmann::ordered_json& element) {
    return read_json(element, out.emplace_back());
  });
}
template <typename T, typename = std::enable_if_t<std::is_integral_v<T>>>
bool read_json(const nlohmann::ordered_json& value, T& out) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    out = static_cast<T>(number);
    return number <= static_cast<std::uint64_t>(std::numeric_limits<T>::max());
  }
  if (!value.is_number_integer() || !std::is_signed_v<T>) return false;
  const auto number = value.get<std::int64_t>();
  out = static_cast<T>(number);
  return number >= static_cast<std::int64_t>(std::numeric_limits<T>::min());
}

class JsonFields {
 public:
  explicit JsonFields(const nlohmann::ordered_json& object) : object_(object) {}

  // The value of a key that must be there, or a default after a mistake.
  template <typename T>
  T get(const std::string& key) {
    const nlohmann::ordered_json* value = find(key);
    if (value == nullptr) {
      complain("no '" + key + "'");
      return {};
    }
    return convert<T>(key, *value);
  }

  template <typename T>
  T get_or(const std::string& key, T otherwise) {
    const nlohmann::ordered_json* value = find(key);
    return value == nullptr ? std::move(otherwise) : convert<T>(key, *value);
  }

  const nlohmann::ordered_json* find(const std::string& key) {
    asked_.push_back(key);
    const auto at = object_.find(key);
    return at == object_.end() ? nullptr : &*at;
  }

  void complain(const std::string& what) {
    if (!mistake_) mistake_ = what;
  }
  const std::optional<std::string>& mistake() const { return mistake_; }

  // After the last key was asked for: a key that was not asked for is a mistake too.
  void finish() {
    for (const auto& [key, value] : object_.items())
      if (std::find(asked_.begin(), asked_.end(), key) == asked_.end())
        complain("unknown key '" + key + "', " + nearest_word_hint(key, asked_));
  }

 private:
  template <typename T>
  T convert(const std::string& key, const nlohmann::ordered_json& value) {
    T out{};
    if (!read_json(value, out))
      complain("'" + key + "' is " + value.dump() + ", not " + wanted(out));
    return out;
  }

  static const char* wanted(const std::string&) { return "a string"; }
  static const char* wanted(bool) { return "true or false"; }
  static const char* wanted(double) { return "a number"; }
  static const char* wanted(const std::vector<std::string>&) { return "a list of strings"; }
  template <typename T>
  static const char* wanted(const T&) {
    return "a whole number in range";
  }

  const nlohmann::ordered_json& object_;
  std::vector<std::string> asked_;
  std::optional<std::string> mistake_;
};

}  // namespace phasebit::base
