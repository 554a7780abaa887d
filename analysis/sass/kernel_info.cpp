#include "analysis/sass/kernel_info.h"

#include <cstring>

namespace phasebit {
namespace {

constexpr std::uint8_t sized_value = 4;      // EIFMT_SVAL
constexpr std::uint8_t byte_value = 2;       // EIFMT_BVAL
constexpr std::uint8_t regcount = 0x2f;      // EIATTR_REGCOUNT: symbol index, registers
constexpr std::uint8_t num_barriers = 0x4c;  // EIATTR_NUM_BARRIERS

template <typename T>
T number_at(std::string_view bytes, std::size_t offset) {
  T value{};
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

// Calls `visit(format, attribute, value)` for each entry; the value of those of format 4 is what
// follows them, of the others the 16 bits beside the attribute.
template <typename Visit>
void for_each_entry(std::string_view nv_info, const Visit& visit) {
  std::size_t at = 0;
  while (nv_info.size() - at >= 4) {
    const auto format = number_at<std::uint8_t>(nv_info, at);
    const auto attribute = number_at<std::uint8_t>(nv_info, at + 1);
    const auto size = format == sized_value ? number_at<std::uint16_t>(nv_info, at + 2) : 0U;
    at += 4;
    if (size > nv_info.size() - at) break;
    visit(format, attribute,
          format == sized_value ? nv_info.substr(at, size) : nv_info.substr(at - 2, 2));
    at += size;
  }
}

}  // namespace

std::map<std::uint32_t, int> register_counts(std::string_view nv_info) {
  std::map<std::uint32_t, int> counts;
  for_each_entry(nv_info, [&](int format, int attribute, std::string_view value) {
    if (format == sized_value && attribute == regcount && value.size() >= 8)
      counts[number_at<std::uint32_t>(value, 0)] =
          static_cast<int>(number_at<std::uint32_t>(value, 4));
  });
  return counts;
}

int barrier_count(std::string_view nv_info) {
  int count = 0;
  for_each_entry(nv_info, [&](int format, int attribute, std::string_view value) {
    if (format == byte_value && attribute == num_barriers)
      count = number_at<std::uint8_t>(value, 0);
  });
  return count;
}

int barrier_count_of_flags(std::uint64_t section_flags) {
  return static_cast<int>((section_flags >> 20U) & 0x7fU);
}

}  // namespace phasebit
