// Whether all CTAs of a launch run at once: where one waits for another, the other must have begun.
#include "core/isa/targets.h"
#include "core/ptx/run/machine.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace phasebit::ptx::run {
namespace {

// No GPU of these architectures has fewer, nor has an instance of one (MIG).
constexpr int least_sms = 16;
// The SMs of a cluster are of one GPC.
constexpr int least_gpcs = 2;
constexpr int most_of_a_thread = 256, register_grain = 8, partitions_of_sm = 4;

// Where it may run. The table is part of the program.
std::vector<isa::Target> targets_of(const RunProgram& program) {
  static const isa::TargetTable table = isa::TargetTable::load().value();
  return table.runs_on(program.target);
}

int warps_of(int threads) {
  return (threads + lanes_of_warp - 1) / lanes_of_warp;
}

// By .minnctapersm, which ptxas ignores where no SM has so many threads, or nothing says how many
// a CTA has.
int promised_ctas(const RunProgram& program) {
  constexpr int most_warps = 64;
  const bool is_possible = program.most_threads > 0 && program.least_ctas_of_sm > 0 &&
                           program.least_ctas_of_sm <= most_warps / warps_of(program.most_threads);
  return is_possible ? program.least_ctas_of_sm : 0;
}

// Of an SM that has so many registers for each of its four partitions.
int fits_by_registers(const RunProgram& program, const RunLaunch& launch) {
  const int of_warp = most_registers(program, launch) * lanes_of_warp;
  const int warps = isa::registers_per_sm / partitions_of_sm / of_warp * partitions_of_sm;
  return warps / launch.warps();
}

std::string registers_text(const RunProgram& program, const RunLaunch& launch) {
  const char* why = program.registers > 0        ? ".maxnreg"
                    : promised_ctas(program) > 0 ? "what .minnctapersm leaves"
                                                 : "the most that there is room for: no "
                                                   ".maxnreg or .minnctapersm says fewer";
  return fmt::format("{} registers a thread ({})", most_registers(program, launch), why);
}

}  // namespace

int most_registers(const RunProgram& program, const RunLaunch& launch) {
  const auto grain = [](int number) { return number / register_grain * register_grain; };
  if (program.registers > 0) return grain(program.registers + register_grain - 1);
  const int warps = warps_of(std::max(program.most_threads, launch.threads()));
  const int threads = warps * lanes_of_warp * std::max(1, promised_ctas(program));
  return std::clamp(grain(isa::registers_per_sm / threads), register_grain, most_of_a_thread);
}

namespace {

// CUDA C++ Programming Guide, technical specifications: the same of each compute capability.
std::optional<Finding> complaint_about_size(const RunLaunch& launch) {
  struct Limit {
    const char* what;
    std::int64_t size, most;
  };
  constexpr std::int64_t most_x = 0x7fffffff, most_yz = 65'535, most_threads = 1024, most_z = 64;
  const auto of = [](const std::array<int, 3>& size, int n) {
    return std::int64_t{size[static_cast<std::size_t>(n)]};
  };
  for (const Limit& limit :
       {Limit{"grid with x", of(launch.grid, 0), most_x},
        Limit{"grid with y", of(launch.grid, 1), most_yz},
        Limit{"grid with z", of(launch.grid, 2), most_yz},
        Limit{"block with x", of(launch.block, 0), most_threads},
        Limit{"block with y", of(launch.block, 1), most_threads},
        Limit{"block with z", of(launch.block, 2), most_z},
        Limit{"block with threads", of(launch.block, 0) * of(launch.block, 1) * of(launch.block, 2),
              most_threads}})
    if (limit.size > limit.most || limit.size < 1) {
      Finding made;
      made.kind = FindingKind::range;
      made.what =
          fmt::format("a {} = {}: 1 to {} are possible", limit.what, limit.size, limit.most);
      return made;
    }
  // So many are simulated in some gigabytes.
  constexpr std::int64_t most_warps = 1 << 16;
  const std::int64_t warps =
      of(launch.grid, 0) * of(launch.grid, 1) * of(launch.grid, 2) * launch.warps();
  if (warps <= most_warps && of(launch.grid, 0) <= most_warps) return std::nullopt;
  Finding made;
  made.kind = FindingKind::range;
  made.grade = Grade::unsupported;
  made.what = fmt::format("a launch of more than {} warps: check a smaller grid", most_warps);
  return made;
}

}  // namespace

std::optional<Finding> complaint_about(const RunProgram& program, const RunLaunch& launch) {
  if (auto wrong = complaint_about_size(launch)) return wrong;
  int most = 0;
  for (const isa::Target& target : targets_of(program))
    most = std::max(most, target.max_shared_bytes_per_cta);
  const auto bytes =
      std::int64_t{program.static_shared_bytes - reserved_shared_bytes} + launch.shared_bytes;
  if (bytes <= most) return std::nullopt;
  Finding made;
  made.kind = FindingKind::range;
  made.grade = bytes > isa::most_shared_bytes ? Grade::error : Grade::note;
  made.what = fmt::format("a launch with {} bytes of shared memory a CTA: at most {}", bytes,
                          made.grade == Grade::error
                              ? fmt::format("{} are possible", isa::most_shared_bytes)
                              : fmt::format("{} are possible where {} runs", most, program.target));
  return made;
}

Residency residency_of(const RunProgram& program, const RunLaunch& launch) {
  constexpr int shared_grain = 256;
  const auto bytes = static_cast<int>(program.static_shared_bytes + launch.shared_bytes);
  const int shared = (bytes + shared_grain - 1) / shared_grain * shared_grain;
  Residency least;
  int most_on_an_sm = 1;
  for (const isa::Target& target : targets_of(program)) {
    const bool is_launched =
        bytes <= target.max_shared_bytes_per_cta + static_cast<int>(reserved_shared_bytes);
    if (target.max_ctas_per_sm == 0 || !is_launched) continue;
    Residency here{0, target.max_ctas_per_sm, 1, fmt::format("{} CTAs", target.max_ctas_per_sm)};
    const auto limit = [&](int ctas, const std::string& what) {
      if (ctas < here.on_an_sm) here = {0, ctas, 1, what};
    };
    limit(target.max_warps_per_sm / launch.warps(),
          fmt::format("{} threads", target.max_warps_per_sm * lanes_of_warp));
    limit(target.shared_bytes_per_sm / shared,
          fmt::format("{} bytes of shared memory", target.shared_bytes_per_sm));
    most_on_an_sm = std::max(most_on_an_sm, here.on_an_sm);
    limit(fits_by_registers(program, launch), registers_text(program, launch));
    // One fits, or nothing is launched.
    here.on_an_sm = std::max(1, here.on_an_sm);
    const int size = std::max(1, launch.ctas_of_cluster());
    here.ctas =
        size == 1 ? least_sms * here.on_an_sm
                  : std::max(1, least_sms / least_gpcs * here.on_an_sm / size) * least_gpcs * size;
    here.limit = fmt::format("{} SMs of sm_{} have room for {}, {} each, by {}", least_sms,
                             target.sm, here.ctas, here.on_an_sm, here.limit);
    if (least.on_an_sm == 0 || here.ctas < least.ctas) least = here;
  }
  if (least.on_an_sm == 0) least = {1, 1, 1, "what its target has room for is not known"};
  least.most_on_an_sm = most_on_an_sm;
  if (launch.ctas() <= least.ctas) least.limit.clear();
  return least;
}

}  // namespace phasebit::ptx::run
