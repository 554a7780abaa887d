// Looking for modes: the same image in fresh processes, on several SMs, with its roles shifted over
// the sub-partitions.
#pragma once

#include "bench/campaign/campaign.h"
#include "core/results/modes.h"

#include <string>
#include <vector>

namespace phasebit::bench::campaign {

struct ModesRequest {
  std::vector<std::size_t> variants;
  int processes = 3;
  int sms = 4;          // spread evenly over the GPU
  int first_warps = 4;  // sub-partitions of an SM
};

// Measures and describes each variant; one line a variant on `out`.
void run_modes_pass(Campaign& campaign, worker::WorkerHandle& worker, Progress& progress,
                    const launch::Manifest& manifest, const ModesRequest& request, std::FILE* out);

}  // namespace phasebit::bench::campaign
