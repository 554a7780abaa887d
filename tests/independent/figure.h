// A figure: what is launched, and the name that says all that is in the window.
#pragma once

#include "plan.h"

#include <string>
#include <utility>
#include <vector>

namespace independent {

struct Figure {
  std::string name;
  std::vector<std::pair<std::string, std::string>> axes;
  int body_items[2] = {small_body, large_body};
  const void* kernels[2] = {nullptr, nullptr};  // by body
  uint32_t num_threads = 32;                    // of a CTA
  uint32_t cluster_size = 0;                    // 0: not a cluster figure
  uint32_t peer = 0;                            // cluster hand-off: the rank that answers
  uint32_t shortest_chain = 256;                // items; the chains are 1, 2, 3, 4 times as long
  uint32_t num_samples = max_samples;
};

}  // namespace independent
