#include "core/record/device_state.h"

#include "core/record/statistics.h"

#include <array>

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

}  // namespace phasebit::record
