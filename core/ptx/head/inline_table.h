// TOML on one line, as a head writes it: `{ role = "consumer", warps = [0] }`.
#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::ptx::head {

inline std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out + "\"";
}

template <typename Number>
std::string list(const std::vector<Number>& numbers) {
  return fmt::format("[{}]", fmt::join(numbers, ", "));
}

inline std::string list(const std::vector<std::string>& words) {
  std::vector<std::string> all;
  for (const std::string& word : words) all.push_back(in_quotes(word));
  return fmt::format("[{}]", fmt::join(all, ", "));
}

class Inline {
 public:
  void text(const char* key, const std::string& value) { add(key, in_quotes(value)); }
  void text_if(const char* key, const std::string& value, std::string_view fallback = {}) {
    if (value != fallback) text(key, value);
  }
  void number_if(const char* key, int value, int fallback) {
    if (value != fallback) add(key, std::to_string(value));
  }
  void add(const std::string& key, const std::string& value) {
    items_.push_back(key + " = " + value);
  }
  bool empty() const { return items_.empty(); }
  std::string take() const { return fmt::format("{{ {} }}", fmt::join(items_, ", ")); }

 private:
  std::vector<std::string> items_;
};

}  // namespace phasebit::ptx::head
