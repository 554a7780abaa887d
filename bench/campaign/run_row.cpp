#include "bench/campaign/run_row.h"

#include <array>
#include <ctime>
#include <random>

namespace phasebit::bench::campaign {
namespace {

std::string utc_now(const char* format) {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  std::array<char, 32> text{};
  const std::size_t n = std::strftime(text.data(), text.size(), format, &utc);
  return std::string(text.data(), n);
}

}  // namespace

std::string new_run_id() {
  std::random_device random;
  return fmt::format("{}-{:08x}{:04x}", utc_now("%Y%m%dT%H%M%SZ"), random(), random() & 0xffffU);
}

record::RunRow new_run_row(const image::Manifest& manifest, const std::string& command,
                           std::uint64_t seed) {
  record::RunRow run;
  run.started = utc_now("%Y-%m-%dT%H:%M:%SZ");
  run.command = command;
  run.commit = manifest.commit;
  run.ptxas = manifest.ptxas;
  run.target = manifest.target;
  run.sweep = manifest.sweep;
  run.order_seed = seed;
  return run;
}

}  // namespace phasebit::bench::campaign
