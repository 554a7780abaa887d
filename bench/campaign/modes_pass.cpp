#include "bench/campaign/modes_pass.h"

#include <algorithm>
#include <map>
#include <set>

namespace phasebit::bench::campaign {
namespace {

struct Seen {
  std::vector<results::ModeObservation> observations;
  std::set<int> sms;  // of a cluster
};

std::string text_of(const Seen& seen) {
  std::string text = results::describe_modes(seen.observations);
  if (!seen.sms.empty())
    text += fmt::format("; the GPU placed its cluster on SMs {}", fmt::join(seen.sms, ", "));
  return text;
}

// A cluster has no target SM, and is measured once where others are on several; warps of warpgroups
// are not shifted.
bool is_taken(const launch::BundleVariant& variant, const results::Conditions& placement) {
  if (placement.first_warp > 0 && variant.launch.fixed_warps) return false;
  return placement.sm == 0 || variant.launch.cluster_size <= 1;
}

}  // namespace

void run_modes_pass(Campaign& campaign, worker::WorkerHandle& worker, Progress& progress,
                    const launch::Manifest& manifest, const ModesRequest& request, std::FILE* out) {
  const int sms = std::min(request.sms, campaign.device().row.multiprocessors);
  std::map<std::size_t, Seen> seen;
  progress.begin(request.variants.size() *
                 static_cast<std::size_t>(request.processes * sms * request.first_warps));
  for (int process = 0; process < request.processes; ++process) {
    worker.stop();  // the next point starts another
    for (int n = 0; n < sms * request.first_warps; ++n) {
      const int sm = n / request.first_warps * campaign.device().row.multiprocessors / sms;
      const results::Conditions placement{{sm, n % request.first_warps}};
      for (const std::size_t variant : request.variants) {
        if (campaign.stopped()) return;
        if (!is_taken(manifest.variants[variant], placement)) continue;
        const Outcome outcome =
            campaign.measure_at(variant, results::PointKind::modes, process, placement);
        if (outcome.summary)
          seen[variant].observations.push_back({process, placement, outcome.summary->cycles});
        seen[variant].sms.insert(outcome.sms.begin(), outcome.sms.end());
        progress.step(manifest.variants[variant].key.id, outcome.error.has_value());
      }
    }
  }
  progress.clear();
  for (const std::size_t variant : request.variants)
    fmt::print(out, "{}: {}\n", manifest.variants[variant].key.id, text_of(seen[variant]));
}

}  // namespace phasebit::bench::campaign
