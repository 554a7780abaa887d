#include "bench/campaign/modes_pass.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

namespace phasebit {
namespace {

std::size_t nearest_mode(const std::vector<double>& modes, double cycles) {
  const auto nearer = [&](double a, double b) {
    return std::abs(a - cycles) < std::abs(b - cycles);
  };
  return static_cast<std::size_t>(std::min_element(modes.begin(), modes.end(), nearer) -
                                  modes.begin());
}

// "first_warp (0, 2 | 1, 3)" when every value of the factor has one mode; "" otherwise.
std::string separation(const char* name, const std::vector<ModeObservation>& observations,
                       const std::vector<double>& modes,
                       const std::function<int(const ModeObservation&)>& factor) {
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

std::string describe_modes(const std::vector<ModeObservation>& observations) {
  if (observations.empty()) return "nothing measured";
  std::vector<double> values;
  for (const ModeObservation& seen : observations) values.push_back(seen.cycles);
  const std::vector<double> found = modes(values);
  if (found.size() < 2)
    return fmt::format("one mode: {:.2f} cycles in {} places", median(values), values.size());
  std::vector<std::size_t> members(found.size());
  for (const double value : values) ++members[nearest_mode(found, value)];
  std::string text = fmt::format("{} modes:", found.size());
  for (std::size_t n = 0; n < found.size(); ++n)
    text += fmt::format("{} {:.2f} cycles in {} of {} places", n == 0 ? "" : ",", found[n],
                        members[n], values.size());
  std::vector<std::string> separators;
  const auto add = [&](const char* name, const std::function<int(const ModeObservation&)>& factor) {
    if (auto by = separation(name, observations, found, factor); !by.empty())
      separators.push_back(std::move(by));
  };
  add("process", [](const ModeObservation& seen) { return seen.process; });
  add("SM", [](const ModeObservation& seen) { return seen.placement.sm; });
  add("first_warp", [](const ModeObservation& seen) { return seen.placement.first_warp; });
  if (separators.empty()) return text + "; no factor alone separates them";
  return text + fmt::format("; separated by {}", fmt::join(separators, " and by "));
}

void run_modes_pass(Campaign& campaign, WorkerHandle& worker, Progress& progress,
                    const Manifest& manifest, const ModesRequest& request, std::FILE* out) {
  const int sms = std::min(request.sms, campaign.device().row.multiprocessors);
  std::map<std::size_t, std::vector<ModeObservation>> seen;
  progress.begin(request.variants.size() *
                 static_cast<std::size_t>(request.processes * sms * request.first_warps));
  for (int process = 0; process < request.processes; ++process) {
    worker.stop();  // the next point starts another
    for (int n = 0; n < sms * request.first_warps; ++n) {
      const int sm = n / request.first_warps * campaign.device().row.multiprocessors / sms;
      const Placement placement{sm, n % request.first_warps};
      for (const std::size_t variant : request.variants) {
        if (campaign.stopped()) return;
        const Outcome outcome = campaign.measure_at(variant, PointKind::modes, process, placement);
        if (outcome.summary) seen[variant].push_back({process, placement, outcome.summary->cycles});
        progress.step(manifest.variants[variant].key.id, outcome.error.has_value());
      }
    }
  }
  progress.clear();
  for (const std::size_t variant : request.variants)
    fmt::print(out, "{}: {}\n", manifest.variants[variant].key.id, describe_modes(seen[variant]));
}

}  // namespace phasebit
