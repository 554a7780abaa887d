// How long a sweep will take, from what the project's own benchmarks measured.
#pragma once

#include "core/base/home.h"

#include <optional>
#include <string>

namespace phasebit::pipeline::images {

// The value of `name` in the lines "name value unit" of results/benchmarks/FILE.txt. Nothing when
// the file or the name is not there.
std::optional<double> benchmark_figure(const base::Home& home, const std::string& file,
                                       const std::string& name);

struct Estimate {
  std::optional<double> assemble_core_seconds;  // for one target, timed builds
  std::optional<double> measure_seconds;        // one repetition
};
Estimate estimate(const base::Home& home, double variants);

// "estimated: 12 core seconds to assemble for one target, 3 s to measure once (from
// results/benchmarks)", or what is not known.
std::string describe(const Estimate& estimate);

}  // namespace phasebit::pipeline::images
