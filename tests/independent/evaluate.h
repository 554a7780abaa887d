// From the reports of the launches to one row. Pure functions.
#pragma once

#include "figure.h"
#include "fit.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace independent {

// All samples of one body size.
struct Chains {
  int body_items = 0;
  std::vector<double> items;                // chain lengths
  std::vector<std::vector<double>> cycles;  // by sample, by length
};

struct Body {
  Line line;                    // through the medians of the lengths
  std::vector<double> medians;  // cycles, by length
  double segment_difference = 0;
};

struct Row {
  double value = 0;       // cycles per item, without the loop
  double half_width = 0;  // of the 95 % confidence interval of the median
  double minimum = 0;     // over the samples
  double maximum = 0;
  double loop = 0;  // cycles per iteration of the loop alone
  size_t num_samples = 0;
  Body bodies[2];
  bool not_linear = false;
  bool imprecise = false;
};

inline Body summarize(const Chains& chains) {
  Body body;
  for (size_t length = 0; length < chains.items.size(); ++length) {
    std::vector<double> at_length;
    for (const auto& sample : chains.cycles) at_length.push_back(sample[length]);
    body.medians.push_back(median(at_length));
  }
  body.line = fit_line(chains.items, body.medians);
  body.segment_difference = segment_difference(body.medians);
  return body;
}

// Sample i of both bodies has the same start offsets, so the figure is formed sample by sample.
inline Row evaluate(const Chains& small, const Chains& large) {
  Row row;
  row.bodies[0] = summarize(small);
  row.bodies[1] = summarize(large);
  std::vector<double> values, loops;
  for (size_t i = 0; i < std::min(small.cycles.size(), large.cycles.size()); ++i) {
    const double slope_small = fit_line(small.items, small.cycles[i]).slope;
    const double slope_large = fit_line(large.items, large.cycles[i]).slope;
    values.push_back(item_cycles(slope_small, slope_large, small.body_items, large.body_items));
    loops.push_back(loop_cycles(slope_small, slope_large, small.body_items, large.body_items));
  }
  row.value = median(values);
  row.half_width = median_half_width(values);
  row.minimum = *std::min_element(values.begin(), values.end());
  row.maximum = *std::max_element(values.begin(), values.end());
  row.loop = median(loops);
  row.num_samples = values.size();
  for (const Body& body : row.bodies) {
    if (std::abs(body.segment_difference) > 0.01) row.not_linear = true;
  }
  row.imprecise = row.half_width > std::max(0.5, 0.005 * std::abs(row.value));
  return row;
}

inline std::string wrong_text(uint32_t wrong) {
  std::string text = "wrong result:";
  if (wrong & wrong_phase) text += " a barrier is not in the phase it must be in;";
  if (wrong & wrong_count) text += " an item was lost or done twice;";
  if (wrong & wrong_witness) text += " a wait returned before all had arrived;";
  return text;
}

}  // namespace independent
