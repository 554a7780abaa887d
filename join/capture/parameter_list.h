// Where a kernel's parameters are in the block of bytes that it takes.
#pragma once

#include "core/base/error.h"
#include "core/launch/external.h"
#include "core/ptx/file.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::join::capture {

// A scalar has a type; a struct or a tensor map is an array of bytes.
struct Place {
  std::string name;
  std::string text;  // ".param .align 8 .b8 s[24]"
  int offset = 0, bytes = 0, alignment = 1;
  bool is_float = false, is_array = false;
};

struct ParameterList {
  std::vector<Place> places;
  int bytes = 0;
  // "NAME" or its number, from 0 on, either with "+BYTES" after it: where that is, with the bytes
  // that are left of the parameter. Step::usage with the nearest name, or how long it is.
  Result<Place> find(std::string_view words) const;
};

ParameterList parameters_of(const ptx::PtxFunction& entry);

// A whole number, decimal or 0x.
template <typename Number>
std::optional<Number> whole_number(std::string_view text);
extern template std::optional<int> whole_number<int>(std::string_view text);
extern template std::optional<std::int64_t> whole_number<std::int64_t>(std::string_view text);
extern template std::optional<std::uint64_t> whole_number<std::uint64_t>(std::string_view text);

}  // namespace phasebit::join::capture
