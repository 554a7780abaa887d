// Looking for modes: the same image in fresh processes, on several SMs, with its roles shifted over
// the sub-partitions.
#pragma once

#include "bench/campaign/campaign.h"

#include <string>
#include <vector>

namespace phasebit {

struct ModesRequest {
  std::vector<std::size_t> variants;
  int processes = 3;
  int sms = 4;          // spread evenly over the GPU
  int first_warps = 4;  // sub-partitions of an SM
};

struct ModeObservation {
  int process = 0;
  Placement placement;
  double cycles = 0;
};

// "one mode: 41.00 cycles in 48 places", or each mode with its share and the factors (process, SM,
// first_warp) whose value alone tells the mode.
std::string describe_modes(const std::vector<ModeObservation>& observations);

// Measures and describes each variant; one line a variant on `out`.
void run_modes_pass(Campaign& campaign, WorkerHandle& worker, Progress& progress,
                    const Manifest& manifest, const ModesRequest& request, std::FILE* out);

}  // namespace phasebit
