#include "analysis/report/data/figures.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace phasebit::report::data {

namespace {

// A cycle is the unit: a hundredth of one is all that a table can use.
constexpr int most_digits = 2;

std::string fixed(double value, int digits) {
  // -0.00 is 0.00.
  const double unit = std::pow(10.0, digits);
  const double rounded = std::round(value * unit) / unit;
  return fmt::format("{:.{}f}", rounded == 0 ? 0.0 : rounded, digits);
}

}  // namespace

int digits_for(double half_width) {
  if (half_width <= 0) return most_digits;
  // The small part keeps 0.1, whose logarithm is not exactly -1, at one digit.
  return std::clamp(static_cast<int>(std::ceil(-std::log10(half_width) - 1e-9)), 0, most_digits);
}

std::string shown(double value, double half_width) {
  return fixed(value, digits_for(half_width));
}

std::string shown_with_interval(double value, double half_width) {
  const int digits = digits_for(half_width);
  const double unit = std::pow(10.0, digits);
  const std::string width =
      half_width <= 0 ? "0" : fixed(std::ceil(half_width * unit - 1e-6) / unit, digits);
  return fmt::format("{} ±{}", fixed(value, digits), width);
}

std::string shown_percent(double percent) {
  return fmt::format("{} %", fixed(percent, 2));
}

Reason reason_of(results::Verdict verdict, const results::PointError& error) {
  return {verdict == results::Verdict::ungated ? Missing::ungated : Missing::failed,
          fmt::format("{}: {}", base::to_string(error.step), error.message), error.step};
}

Reason not_measured() {
  return {Missing::not_measured, "not measured"};
}

Reason unusable(std::string text) {
  return {Missing::unusable, std::move(text)};
}

}  // namespace phasebit::report::data
