#include "analysis/sass/kernel_info.h"

#include <cstring>

namespace phasebit {
namespace {

constexpr std::uint8_t sized_value = 4;  // EIFMT_SVAL
constexpr std::uint8_t regcount = 0x2f;  // EIATTR_REGCOUNT: symbol index, registers

template <typename T>
T number_at(std::string_view bytes, std::size_t offset) {
  T value{};
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

}  // namespace

std::map<std::uint32_t, int> register_counts(std::string_view nv_info) {
  std::map<std::uint32_t, int> counts;
  std::size_t at = 0;
  while (nv_info.size() - at >= 4) {
    const auto format = number_at<std::uint8_t>(nv_info, at);
    const auto attribute = number_at<std::uint8_t>(nv_info, at + 1);
    const auto size = format == sized_value ? number_at<std::uint16_t>(nv_info, at + 2) : 0U;
    at += 4;
    if (size > nv_info.size() - at) break;
    if (format == sized_value && attribute == regcount && size >= 8)
      counts[number_at<std::uint32_t>(nv_info, at)] =
          static_cast<int>(number_at<std::uint32_t>(nv_info, at + 4));
    at += size;
  }
  return counts;
}

}  // namespace phasebit
