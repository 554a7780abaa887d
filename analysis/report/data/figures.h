// Numbers as text, with the digits that their interval supports.
#pragma once

#include <string>

namespace phasebit::report::data {

// Digits after the point, 0 to 2: as many as the leading digit of the half width has.
int digits_for(double half_width);

// "12.34"
std::string shown(double value, double half_width);

// "12.34 ±0.05"; the half width is rounded up, so that it is never understated.
std::string shown_with_interval(double value, double half_width);

// "0.05 %"
std::string shown_percent(double percent);

}  // namespace phasebit::report::data
