// What the driver says of a GPU while a grid runs on it.
#pragma once

namespace phasebit::record {

// 0: not known.
struct DeviceState {
  int sm_megahertz = 0, memory_megahertz = 0;
  int watts = 0;
  bool known() const { return sm_megahertz > 0 || memory_megahertz > 0 || watts > 0; }
  bool operator==(const DeviceState&) const = default;
};

}  // namespace phasebit::record
