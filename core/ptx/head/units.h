// The units of a head: what is counted, and by what. A table that puts two figures side by side
// goes by these words.
#pragma once

#include <optional>
#include <string>

namespace phasebit::ptx::head {

struct UnitFault {
  std::string what, hint;
};

// "cycles per item", "cycles per 16 operations": the figure of the timed role's clocks. Of a launch
// on several SMs "ns per item".
std::optional<UnitFault> fault_of_figure(const std::string& unit, bool on_several_sms = false);

// "polls", "polls per item", "polls that failed, per item", "cycles from commit to wake-up",
// "low half of the barrier's word".
std::optional<UnitFault> fault_of_reading(const std::string& unit);

}  // namespace phasebit::ptx::head
