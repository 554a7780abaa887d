// Who does what: warps, lanes, and what they leave behind.
#include "core/ptx/head/complaint.h"
#include "core/ptx/head/words.h"

#include <algorithm>
#include <iterator>

namespace phasebit::ptx::head {

using image::Role;
using image::RoleSlice;

namespace {

std::string key_of(const RoleSlice& slice) {
  return fmt::format("role {}", slice.role == Role::none ? no_role : word_of(slice.role));
}

// One bit a lane.
std::uint32_t lanes_of(const RoleSlice& slice) {
  std::uint32_t lanes = 0;
  for (int lane = slice.first_lane; lane < 32; lane += slice.lane_stride) lanes |= 1U << lane;
  return lanes;
}

bool share_threads(const RoleSlice& a, const RoleSlice& b) {
  const bool meet =
      a.rank_in_cluster < 0 || b.rank_in_cluster < 0 || a.rank_in_cluster == b.rank_in_cluster;
  return meet && a.warp == b.warp && (lanes_of(a) & lanes_of(b)) != 0;
}

bool plays(const CheckedHead& checked, Role role) {
  const auto& slices = checked.head.launch.slices;
  return std::any_of(slices.begin(), slices.end(), [&](const RoleSlice& slice) {
    return slice.role == role || (slice.role == Role::both && role != Role::victim);
  });
}

Status check_slice(const CheckedHead& checked, const RoleSlice& slice) {
  const image::LaunchShape& launch = checked.head.launch;
  if (slice.warp < 0 || slice.warp >= launch.warps()) {
    std::string hint = fmt::format("warps 0 to {}", launch.warps() - 1);
    if (slice.warp >= 0 && slice.warp < image::most_threads_of_cta / 32)
      hint += fmt::format(", or write `threads = {}`", 32 * (slice.warp + 1));
    return checked.complain(key_of(slice), hint, "warp {} of {} threads", slice.warp,
                            launch.threads);
  }
  if (slice.rank_in_cluster >= launch.cluster_size)
    return checked.complain(key_of(slice), "write the cluster's size as `cluster_size` of [launch]",
                            "cta {} of a cluster of {}", slice.rank_in_cluster,
                            launch.cluster_size);
  return {};
}

Status check_threads(const CheckedHead& checked, const std::vector<RoleSlice>& slices) {
  for (auto b = slices.begin(); b != slices.end(); ++b)
    for (auto a = slices.begin(); a != b; ++a)
      if (share_threads(*a, *b))
        return checked.complain(key_of(*b),
                                "split the warp by `lanes = \"even\"` and \"odd\", or write one "
                                "role \"both\"",
                                "threads of warp {} are {} already", b->warp,
                                key_of(*a).substr(std::string("role ").size()));
  for (int warp = 0; warp < checked.head.launch.warps(); ++warp) {
    std::uint32_t lanes = 0;
    for (const RoleSlice& slice : slices)
      if (slice.warp == warp) lanes |= lanes_of(slice);
    if (lanes == ~0U) continue;
    std::string half;
    for (const LaneWord& word : lane_words)
      if (lanes == ~lanes_of({0, word.first_lane, word.lane_stride}))
        half = fmt::format(", lanes = \"{}\"", word.word);
    return checked.complain(
        "roles",
        fmt::format("write `{{ role = \"{}\", warps = [{}]{} }}` if they do nothing", no_role, warp,
                    lanes == 0 ? "" : half),
        "{} of warp {} have no role", lanes == 0 ? "the threads" : "half of the threads", warp);
  }
  return {};
}

Status check_reading(const CheckedHead& checked, const image::Reading& reading) {
  const std::string key = "reading " + reading.name;
  if (!plays(checked, reading.role))
    return checked.complain(key, "name one of the roles", "no warp is {}", word_of(reading.role));
  if (const auto fault = fault_of_reading(reading.unit))
    return checked.complain(key, fault->hint, "unit '{}': {}", reading.unit, fault->what);
  return {};
}

Status check_readings(const CheckedHead& checked) {
  const std::vector<image::Reading>& readings = checked.head.launch.readings;
  for (size_t b = 0; b < readings.size(); ++b) {
    PHASEBIT_TRY(check_reading(checked, readings[b]));
    for (size_t a = 0; a < b; ++a)
      if (readings[a].role == readings[b].role && readings[a].index == readings[b].index)
        return checked.complain("reading " + readings[b].name, "give each its own `index`",
                                "it is where '{}' is, index {} of {}", readings[a].name,
                                readings[b].index, word_of(readings[b].role));
  }
  return {};
}

}  // namespace

Status check_head_roles(const CheckedHead& checked) {
  const image::LaunchShape& launch = checked.head.launch;
  std::vector<RoleSlice> slices = launch.slices;
  slices.insert(slices.end(), checked.head.idle.begin(), checked.head.idle.end());
  for (const RoleSlice& slice : slices) PHASEBIT_TRY(check_slice(checked, slice));
  const bool timed = std::any_of(launch.slices.begin(), launch.slices.end(),
                                 [&](const auto& one) { return one.role == launch.timed_role; });
  if (!timed)
    return checked.complain("timed_role", "name one of the roles", "no warp is {}",
                            word_of(launch.timed_role));
  if (const auto fault = fault_of_figure(launch.unit, launch.sms > 0))
    return checked.complain("unit", fault->hint, "'{}': {}", launch.unit, fault->what);
  PHASEBIT_TRY(check_threads(checked, slices));
  return check_readings(checked);
}

}  // namespace phasebit::ptx::head
