#include "analysis/report/tables/probes/wanted.h"

#include <algorithm>
#include <set>

namespace phasebit::report::tables::probes {

Status keep_wanted(std::vector<const data::Aggregate*>& points,
                   const data::TableArguments& arguments) {
  for (const auto& [axis, value] : arguments) {
    std::set<std::string> values;
    for (const data::Aggregate* point : points) values.insert(point->axes.column(axis));
    if (!values.contains(value))
      return with_hint(fail(Step::usage, "no measured variant of the probe {} has {}={}",
                            points.empty() ? "" : points.front()->axes.value("probe"), axis, value),
                       fmt::format("one of {}", fmt::join(values, ", ")));
    std::erase_if(points,
                  [&](const data::Aggregate* point) { return point->axes.column(axis) != value; });
  }
  return {};
}

}  // namespace phasebit::report::tables::probes
