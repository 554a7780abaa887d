// Measures one figure at one place: both bodies, in batches until the figure is precise.
#pragma once

#include "evaluate.h"
#include "launch.cuh"

namespace independent {

struct Place {
  uint32_t sm = 0;             // CTA figures
  uint32_t cluster_index = 0;  // cluster figures
  int num_clusters = 0;        // 0: not a cluster figure
};

struct Measurement {
  Row row;
  std::vector<uint32_t> sms;  // by cluster rank
  double clock_mhz = 0;       // achieved, of the last launch
  std::string error;          // empty: all else is valid
  bool context_lost = false;
  bool moved = false;  // the launches ran on different SMs
};

inline constexpr int max_batches = 3;

class Measure {
 public:
  Measure(Device& device, const Figure& figure, Place place, uint32_t seed)
      : device_(device), figure_(figure), place_(place), seed_(seed) {}

  Measurement run() {
    Chains chains[2];
    chains[0].body_items = figure_.body_items[0];
    chains[1].body_items = figure_.body_items[1];
    for (int batch = 0; batch < max_batches && result_.error.empty(); ++batch) {
      for (int body = 0; body < 2 && result_.error.empty(); ++body) {
        launch(chains[body], figure_.kernels[body], seed_ + batch);
      }
      if (!result_.error.empty()) break;
      result_.row = evaluate(chains[0], chains[1]);
      if (!result_.row.imprecise) break;
    }
    return result_;
  }

 private:
  void launch(Chains& chains, const void* kernel, uint32_t seed) {
    LaunchPlan plan{};
    chains.items.clear();
    for (int i = 0; i < num_lengths; ++i) {
      const uint32_t items = figure_.shortest_chain * (i + 1);
      plan.iterations[i] = items / chains.body_items;
      chains.items.push_back(items);
    }
    plan.num_samples = figure_.num_samples;
    plan.seed = seed;
    plan.target_sm = place_.sm;
    plan.cluster_index = place_.cluster_index;
    plan.peer = figure_.peer;
    const LaunchResult launched = device_.run(figure_, kernel, plan, place_.num_clusters);
    result_.error = launched.error;
    result_.context_lost = launched.context_lost;
    if (result_.error.empty()) take(chains, launched.report);
  }

  void take(Chains& chains, const Report& report) {
    if (report.claimed == 0) {
      result_.error = "no block ran on SM " + std::to_string(place_.sm);
      return;
    }
    if (report.wrong != 0) {
      result_.error = wrong_text(report.wrong);
      return;
    }
    const std::vector<uint32_t> sms(report.sm, report.sm + std::max(1u, figure_.cluster_size));
    if (!result_.sms.empty() && result_.sms != sms) {
      result_.error = "two launches of one figure ran on different SMs";
      result_.moved = true;
      return;
    }
    result_.sms = sms;
    if (report.kernel_ns > 0) result_.clock_mhz = 1000.0 * report.kernel_cycles / report.kernel_ns;
    for (uint32_t sample = 0; sample < figure_.num_samples; ++sample) {
      chains.cycles.emplace_back(report.cycles[sample], report.cycles[sample] + num_lengths);
    }
  }

  Device& device_;
  const Figure& figure_;
  Place place_;
  uint32_t seed_;
  Measurement result_;
};

}  // namespace independent
