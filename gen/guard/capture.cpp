#include "gen/guard/capture.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include <fmt/format.h>

namespace phasebit::guard {
namespace {

bool is_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text.front())) == 0) return false;
  return !text.starts_with("0f") && !text.starts_with("0d") && !text.starts_with("0F") &&
         !text.starts_with("0D") && text.find('.') == std::string_view::npos;
}

// How many bits a register of this type has; 0 for a predicate, -1 where it is not known.
int bits_of(const std::string& type) {
  if (type == ".pred") return 0;
  const std::size_t digit = type.find_first_of("0123456789");
  if (digit == std::string::npos || type.find('x') != std::string::npos) return -1;
  return std::atoi(type.c_str() + digit);
}

std::string first_name(const std::string& operand) {
  const std::vector<std::string> names = ptx::names_in(operand);
  return names.empty() ? std::string() : names.front();
}

}  // namespace

std::vector<std::string> capture_value(const ptx::PtxScopes& scopes, int scope,
                                       const std::string& operand, const std::string& to,
                                       const std::string& guard) {
  const std::string lead = guard.empty() ? "" : guard + " ";
  if (is_number(operand)) return {fmt::format("{}mov.u64 {}, {};", lead, to, operand)};
  const std::string name = first_name(operand);
  const std::string type = scopes.type_of(scope, name);
  const bool floats = type.starts_with(".f");
  switch (bits_of(type)) {
    case 0:
      return {fmt::format("{}selp.b64 {}, {}, {}, {};", lead, to, operand.starts_with('!') ? 0 : 1,
                          operand.starts_with('!') ? 1 : 0, name)};
    case 16:
      if (floats) return {};
      return {fmt::format("{}cvt.u64.u16 {}, {};", lead, to, name)};
    case 32:
      if (floats)
        return {"{", ".reg .b32 pbg_bits;", fmt::format("{}mov.b32 pbg_bits, {};", lead, name),
                fmt::format("{}cvt.u64.u32 {}, pbg_bits;", lead, to), "}"};
      return {fmt::format("{}cvt.u64.u32 {}, {};", lead, to, name)};
    case 64: return {fmt::format("{}mov.b64 {}, {};", lead, to, name)};
    default: return {};
  }
}

std::vector<std::string> capture_address(const ptx::PtxScopes& scopes, int scope,
                                         const std::string& operand, const std::string& to,
                                         const std::string& guard) {
  if (!operand.starts_with('[')) return {};
  const std::string inner = operand.substr(1, operand.find(']') - 1);
  const std::size_t plus = inner.find_first_of("+-", 1);
  std::string base = inner.substr(0, plus), offset;
  std::erase(base, ' ');
  if (plus != std::string::npos) {
    offset = inner.substr(inner[plus] == '+' ? plus + 1 : plus);
    std::erase(offset, ' ');
    if (offset.starts_with('-') && offset.find('-', 1) == 1) offset = offset.substr(2);
    std::erase(offset, '+');
  }
  const std::string lead = guard.empty() ? "" : guard + " ";
  std::vector<std::string> lines = capture_value(scopes, scope, base, to, guard);
  if (lines.empty() && !base.empty())
    lines = {fmt::format("{}mov.u64 {}, {};", lead, to, base)};  // a variable
  if (is_number(offset))
    lines.push_back(fmt::format("{}add.s64 {}, {}, {};", lead, to, to, offset));
  return lines;
}

}  // namespace phasebit::guard
