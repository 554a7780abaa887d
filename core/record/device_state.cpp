#include "core/record/device_state.h"

#include "core/record/statistics.h"

#include <array>
#include <charconv>

#include <fmt/format.h>

namespace phasebit::record {
namespace {

using Field = int DeviceState::*;
constexpr std::array fields = {&DeviceState::sm_megahertz, &DeviceState::memory_megahertz,
                               &DeviceState::watts};

}  // namespace

DeviceState median_state(const std::vector<DeviceState>& states) {
  DeviceState middle;
  for (const Field field : fields) {
    std::vector<double> known;
    for (const DeviceState& state : states)
      if (state.*field > 0) known.push_back(state.*field);
    if (!known.empty()) middle.*field = static_cast<int>(median(known) + 0.5);
  }
  return middle;
}

std::string device_state_flag(const DeviceState& state) {
  return fmt::format("{}{}/{}/{}", device_state_prefix, state.sm_megahertz, state.memory_megahertz,
                     state.watts);
}

std::optional<DeviceState> device_state_of(std::string_view flag) {
  if (!flag.starts_with(device_state_prefix)) return {};
  flag.remove_prefix(device_state_prefix.size());
  DeviceState state;
  const char *at = flag.data(), *const end = at + flag.size();
  for (const Field field : fields) {
    if (at != flag.data() && (at == end || *at++ != '/')) return {};
    const auto [behind, wrong] = std::from_chars(at, end, state.*field);
    if (wrong != std::errc{}) return {};
    at = behind;
  }
  return at == end ? std::optional(state) : std::nullopt;
}

}  // namespace phasebit::record
