#include "pipeline/images/estimate.h"

#include <sstream>

#include <fmt/format.h>

namespace phasebit::pipeline::images {

std::optional<double> benchmark_figure(const base::Home& home, const std::string& file,
                                       const std::string& name) {
  const auto text = base::read_file(home.data / "results" / "benchmarks" / (file + ".txt"));
  if (!text) return std::nullopt;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    double value = 0;
    if (words >> word >> value && word == name) return value;
  }
  return std::nullopt;
}

Estimate estimate(const base::Home& home, double variants) {
  Estimate out;
  const auto cores = benchmark_figure(home, "assemble", "timed_cold_cores");
  const auto images = benchmark_figure(home, "assemble", "timed_images");
  if (cores && images && *images > 0) out.assemble_core_seconds = variants * *cores / *images;
  const auto rate = benchmark_figure(home, "points", "points_per_second");
  if (rate && *rate > 0) out.measure_seconds = variants / *rate;
  return out;
}

std::string describe(const Estimate& estimate) {
  const auto seconds = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.0f}", *value) : std::string("an unknown number of");
  };
  return fmt::format(
      "estimated: {} core seconds to assemble for one target, {} seconds to measure once "
      "(from results/benchmarks)",
      seconds(estimate.assemble_core_seconds), seconds(estimate.measure_seconds));
}

}  // namespace phasebit::pipeline::images
