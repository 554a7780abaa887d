#include "analysis/report/tables/origins/llvm_pairs.h"

#include <algorithm>
#include <array>

namespace phasebit::report::tables::origins {

using data::Aggregate;

namespace {

constexpr std::array<const char*, 3> llvm_axes = {"llvm", "llvm_opt", "short_ptr"};

bool is_wanted(const data::VariantAxes& axes, const data::TableArguments& where) {
  return std::all_of(where.begin(), where.end(), [&](const auto& argument) {
    return axes.value(argument.first) == argument.second;
  });
}

LlvmChoice choice_of(const data::VariantAxes& axes) {
  const std::string level = axes.value("llvm_opt");
  return {level.empty() ? usual_choice.opt_level : level, axes.value("short_ptr") != "off"};
}

}  // namespace

record::VariantRow without_llvm(record::VariantRow row) {
  for (const char* axis : llvm_axes)
    if (row.find(axis) != nullptr) row = row.without(axis);
  return row;
}

std::vector<LlvmPair> llvm_pairs(const data::Aggregation& figures,
                                 const data::TableArguments& where) {
  std::vector<LlvmPair> pairs;
  for (const Aggregate& point : figures.points) {
    if (!point.axes.names("llvm") || !is_wanted(point.axes, where)) continue;
    const record::VariantRow base = without_llvm(point.axes.variant());
    const Aggregate* ours = data::find_variant(figures.points, base.id);
    if (ours == nullptr || !ours->reason.empty() || ours->cycles <= 0 ||
        !ours->axes.is_as_declared())
      continue;
    pairs.push_back({base.id, ours, &point, choice_of(point.axes)});
  }
  return pairs;
}

}  // namespace phasebit::report::tables::origins
