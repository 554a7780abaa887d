// How durations are said.
#pragma once

#include <string>

#include <fmt/format.h>

namespace phasebit {

// To the second: "12 s", "3 min 20 s".
inline std::string whole_duration_text(double seconds) {
  const auto whole = static_cast<long>(seconds + 0.5);
  return whole < 60 ? fmt::format("{} s", whole)
                    : fmt::format("{} min {} s", whole / 60, whole % 60);
}

}  // namespace phasebit
