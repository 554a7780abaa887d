#include "analysis/cubin/change/line_advances.h"

#include <algorithm>
#include <cstring>

namespace phasebit::cubin::change {
namespace {

constexpr std::size_t address_bytes = 8;

// DW_LNE_set_address: extended, of 9 bytes.
constexpr std::string_view set_address("\0\x09\x02", 3);

template <typename Number>
Number number_at(std::string_view bytes, std::uint64_t at) {
  Number value{};
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

// Addresses of a unit count bytes only where instructions have a smallest length of 1.
bool counts_bytes(std::string_view unit) {
  constexpr std::size_t version_at = 4, length_of_older = 10, length_of_5 = 12;
  if (unit.size() <= length_of_5) return false;
  const auto version = number_at<std::uint16_t>(unit, version_at);
  return version >= 2 && version <= 5 && unit[version < 5 ? length_of_older : length_of_5] == 1;
}

}  // namespace

bool has_lines(std::string_view section) {
  return section == ".debug_line" || section == ".nv_debug_line_sass";
}

Result<LineAdvances> line_advances(std::string_view section,
                                   const std::vector<std::uint64_t>& addresses) {
  LineAdvances found;
  for (const std::uint64_t at : addresses) {
    if (at < set_address.size() || section.size() < address_bytes ||
        at > section.size() - address_bytes ||
        section.substr(at - set_address.size(), set_address.size()) != set_address)
      return fail(Step::disassemble, "the address at {:#x} begins no sequence of lines", at);
    found.places.push_back(at + address_bytes);
  }
  for (std::uint64_t at = 0; at < section.size();) {
    constexpr std::size_t length_bytes = 4;
    constexpr std::uint32_t longest = 0xfffffff0;
    if (section.size() - at < length_bytes)
      return fail(Step::disassemble, "the unit of lines at {:#x} is cut short", at);
    const auto length = number_at<std::uint32_t>(section, at);
    if (length >= longest || length > section.size() - at - length_bytes)
      return fail(Step::disassemble, "the unit of lines at {:#x} cannot be read", at);
    const std::uint64_t end = at + length_bytes + length;
    const auto count = static_cast<std::uint64_t>(
        std::count_if(found.places.begin(), found.places.end(),
                      [&](std::uint64_t place) { return at < place && place <= end; }));
    if (count != 0 && !counts_bytes(section.substr(at, end - at)))
      return fail(Step::disassemble, "the unit of lines at {:#x} is of an unknown version", at);
    if (count != 0) found.units.push_back({at, count});
    at = end;
  }
  return found;
}

}  // namespace phasebit::cubin::change
