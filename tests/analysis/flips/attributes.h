// What the bytes of `.nv.info` sections are, read without the program's own reader.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace phasebit::test {

struct AttributePart {
  std::string name;  // "EIATTR_REQNTID"; "attribute 0x64" without a name; "heads of attributes"
  std::size_t begin = 0, end = 0;
};

// Each attribute in two parts: its head (format, number, and the size where there is one) and its
// value. What is cut short is one part, "rest".
std::vector<AttributePart> attribute_parts(std::string_view nv_info);

}  // namespace phasebit::test
