#include "core/results/modes.h"

#include "core/results/statistics.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

namespace phasebit::results {
namespace {

using Factor = std::function<int(const ModeObservation&)>;

std::size_t nearest_mode(const std::vector<double>& modes, double cycles) {
  const auto nearer = [&](double a, double b) {
    return std::abs(a - cycles) < std::abs(b - cycles);
  };
  return static_cast<std::size_t>(std::min_element(modes.begin(), modes.end(), nearer) -
                                  modes.begin());
}

// "first_warp (0, 2 | 1, 3)" when every value of the factor has one mode; "" otherwise.
std::string separation(const char* name, const std::vector<ModeObservation>& observations,
                       const std::vector<double>& modes, const Factor& factor) {
  std::map<int, std::size_t> mode_of;
  for (const ModeObservation& seen : observations) {
    const std::size_t mode = nearest_mode(modes, seen.cycles);
    if (mode_of.try_emplace(factor(seen), mode).first->second != mode) return {};
  }
  std::vector<std::string> groups(modes.size());
  for (const auto& [value, mode] : mode_of)
    groups[mode] += fmt::format("{}{}", groups[mode].empty() ? "" : ", ", value);
  return fmt::format("{} ({})", name, fmt::join(groups, " | "));
}

}  // namespace

ModeReport separate_modes(const std::vector<ModeObservation>& observations) {
  ModeReport report;
  report.places = observations.size();
  if (observations.empty()) return report;
  std::vector<double> values;
  for (const ModeObservation& seen : observations) values.push_back(seen.cycles);
  const auto [lowest, highest] = std::minmax_element(values.begin(), values.end());
  report.lowest = *lowest;
  report.highest = *highest;
  const std::vector<double> found = modes(values);
  if (found.size() < 2) {
    report.modes = {{median(values), values.size()}};
    return report;
  }
  for (const double cycles : found) report.modes.push_back({cycles, 0});
  for (const double value : values) ++report.modes[nearest_mode(found, value)].places;
  const std::pair<const char*, Factor> factors[] = {
      {"process", [](const ModeObservation& seen) { return seen.process; }},
      {"SM", [](const ModeObservation& seen) { return seen.placement.sm; }},
      {"first_warp", [](const ModeObservation& seen) { return seen.placement.first_warp; }}};
  for (const auto& [name, factor] : factors)
    if (auto by = separation(name, observations, found, factor); !by.empty())
      report.separators.push_back(std::move(by));
  return report;
}

std::string describe_modes(const std::vector<ModeObservation>& observations) {
  const ModeReport report = separate_modes(observations);
  if (report.modes.empty()) return "nothing measured";
  if (report.modes.size() == 1)
    return fmt::format("one mode: {:.2f} cycles in {} places", report.modes[0].cycles,
                       report.places);
  std::vector<std::string> shares;
  for (const ModeReport::Mode& mode : report.modes)
    shares.push_back(
        fmt::format("{:.2f} cycles in {} of {} places", mode.cycles, mode.places, report.places));
  const std::string text = fmt::format("{} modes: {}", shares.size(), fmt::join(shares, ", "));
  if (report.separators.empty()) return text + "; no factor alone separates them";
  return text + fmt::format("; separated by {}", fmt::join(report.separators, " and by "));
}

}  // namespace phasebit::results
