#include "analysis/sass/kernel_info.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace phasebit {
namespace {

constexpr std::uint8_t no_value = 1;         // EIFMT_NVAL
constexpr std::uint8_t sized_value = 4;      // EIFMT_SVAL
constexpr std::uint8_t byte_value = 2;       // EIFMT_BVAL
constexpr std::uint8_t regcount = 0x2f;      // EIATTR_REGCOUNT: symbol index, registers
constexpr std::uint8_t num_barriers = 0x4c;  // EIATTR_NUM_BARRIERS

struct NamedAttribute {
  std::uint8_t attribute;
  const char* name;
};
// As `cuobjdump -elf` names them: EIATTR_MAX_THREADS, REQNTID, CRS_STACK_SIZE,
// INDIRECT_BRANCH_TARGETS, NUM_MBARRIERS, CTA_PER_CLUSTER, EXPLICIT_CLUSTER, MAX_CLUSTER_RANK.
constexpr NamedAttribute of_kernels[] = {
    {0x05, "maxntid"},          {0x10, "reqntid"},
    {0x1e, "call stack"},       {0x34, "indirect branch targets"},
    {0x38, "mbarriers"},        {0x3d, "cluster dimensions"},
    {0x3e, "explicit cluster"}, {0x3f, "largest cluster"}};
// EIATTR_REGCOUNT, FRAME_SIZE, MIN_STACK_SIZE, MAX_STACK_SIZE: {symbol index, value}.
constexpr NamedAttribute of_functions[] = {
    {regcount, "registers"}, {0x11, "frame"}, {0x12, "least stack"}, {0x23, "largest stack"}};

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

// Words of 4 bytes, in hexadecimal; "yes" for an attribute without a value.
std::string words_of(std::string_view value) {
  std::string text;
  std::size_t at = 0;
  for (; at + 4 <= value.size(); at += 4)
    text += fmt::format("{}{:#x}", at == 0 ? "" : " ", number_at<std::uint32_t>(value, at));
  for (; at < value.size(); ++at)
    text += fmt::format("{}{:#x}", at == 0 ? "" : " ", number_at<std::uint8_t>(value, at));
  return text.empty() ? "yes" : text;
}

}  // namespace

Attributes kernel_attributes(std::string_view nv_info_of_kernel) {
  Attributes found;
  for_each_entry(nv_info_of_kernel, [&](int format, int attribute, std::string_view value) {
    for (const NamedAttribute& one : of_kernels)
      if (one.attribute == attribute)
        found.emplace_back(one.name, format == no_value ? "yes" : words_of(value));
  });
  std::sort(found.begin(), found.end());
  return found;
}

Attributes function_attributes(std::string_view nv_info, std::uint32_t symbol) {
  Attributes found;
  for_each_entry(nv_info, [&](int format, int attribute, std::string_view value) {
    if (format != sized_value || value.size() < 8 || number_at<std::uint32_t>(value, 0) != symbol)
      return;
    for (const NamedAttribute& one : of_functions)
      if (one.attribute == attribute)
        found.emplace_back(one.name, std::to_string(number_at<std::uint32_t>(value, 4)));
  });
  std::sort(found.begin(), found.end());
  return found;
}

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
