// How far a long step is: one line on a terminal that is rewritten; elsewhere nothing.
#pragma once

#include "core/base/home.h"

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace phasebit::join::images {

// "assembling: 120 of 400, 1 min 5 s left". No time is left to say before the first is done.
std::string progress_text(const std::string& step, std::size_t done, std::size_t all,
                          std::chrono::duration<double> elapsed);

// Shows itself after two seconds of a step and takes the line away when all is done or the last
// copy is gone. Called from one thread at a time.
class ProgressLine {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;
  ProgressLine(std::FILE* out, std::string step, Clock clock = std::chrono::steady_clock::now);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  void operator()(std::size_t done, std::size_t all);

 private:
  void clear();
  std::FILE* out_;
  std::string step_;
  Clock clock_;
  std::chrono::steady_clock::time_point begin_, last_{};
  std::size_t before_ = 0;
  bool shown_ = false;
};

// For AssembleOptions and the like: on standard error where that is a terminal, else empty.
std::function<void(std::size_t done, std::size_t all)> progress_on_terminal(std::string step);

// How long a sweep will take, from what the project's own benchmarks measured.

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

}  // namespace phasebit::join::images
