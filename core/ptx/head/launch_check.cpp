// How often and in what clusters a head has its kernel launched.
#include "core/isa/targets.h"
#include "core/ptx/head/complaint.h"

namespace phasebit::ptx::head {
namespace {

// With the opt-in that the bench makes; 8 need none (CUDA C++ programming guide, "Thread Block
// Clusters"). Before 9.0 there are none.
constexpr int first_sm_with_clusters = 90;

Status check_items(const CheckedHead& checked) {
  const image::LaunchShape& launch = checked.head.launch;
  const int granule = launch.item_granule;
  const auto up = [&](std::int64_t items) { return (items + granule - 1) / granule * granule; };
  if (launch.min_items % granule != 0)
    return checked.complain("min_items",
                            fmt::format("write `min_items = {}`", up(launch.min_items)),
                            "{} is no multiple of the granule {}", launch.min_items, granule);
  if (launch.max_items == 0) return {};
  if (launch.max_items < launch.min_items)
    return checked.complain(
        "max_items",
        fmt::format("write `max_items = {}` or more, or leave it out", launch.min_items),
        "{}, min_items is {}", launch.max_items, launch.min_items);
  if (launch.max_items % granule != 0)
    return checked.complain("max_items",
                            fmt::format("write `max_items = {}`", up(launch.max_items)),
                            "{} is no multiple of the granule {}", launch.max_items, granule);
  return {};
}

Status check_cluster(const CheckedHead& checked) {
  const image::LaunchShape& launch = checked.head.launch;
  const int size = launch.cluster_size;
  for (const auto& [name, rank] :
       {std::pair{"first_rank", launch.first_rank}, {"second_rank", launch.second_rank}})
    if (rank >= size)
      return checked.complain(name,
                              fmt::format("0 to {}, or write the cluster's size as "
                                          "`cluster_size`",
                                          size - 1),
                              "CTA {} of a cluster of {}", rank, size);
  if (size == 1) return {};
  if (launch.ctas_per_sm != 1 || launch.load_ctas != 0)
    return checked.complain("cluster_size", "leave out `ctas_per_sm` and `load_ctas`",
                            "a cluster is launched alone, with 1 CTA an SM and none of load");
  const std::string name = checked.file.target.substr(0, checked.file.target.find(','));
  PHASEBIT_TRY_ASSIGN(target, isa::parse_target(name));
  if (target.sm >= first_sm_with_clusters) return {};
  return checked.complain(
      "cluster_size", fmt::format("write `.target sm_{}`, or leave it out", first_sm_with_clusters),
      "{} CTAs, {} has no clusters", size, name);
}

}  // namespace

Status check_head_launch(const CheckedHead& checked) {
  PHASEBIT_TRY(check_items(checked));
  return check_cluster(checked);
}

}  // namespace phasebit::ptx::head
