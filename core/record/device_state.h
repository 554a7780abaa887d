// What the driver says of a GPU while a grid runs on it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::record {

// 0: not known.
struct DeviceState {
  int sm_megahertz = 0, memory_megahertz = 0;
  int watts = 0;
  bool known() const { return sm_megahertz > 0 || memory_megahertz > 0 || watts > 0; }
  bool operator==(const DeviceState&) const = default;
};

// Each field the median of those that know it.
DeviceState median_state(const std::vector<DeviceState>& states);

// The flag of a row: "gpu:1980/3201/645", MHz of the SMs, MHz of the memory, watts.
inline constexpr std::string_view device_state_prefix = "gpu:";
std::string device_state_flag(const DeviceState& state);
// Nothing of another flag.
std::optional<DeviceState> device_state_of(std::string_view flag);

}  // namespace phasebit::record
