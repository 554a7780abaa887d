#include "analysis/report/tables/peers/kernels.h"

#include "core/record/origin.h"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/ranges.h>

namespace phasebit::report::tables::peers {

using data::Aggregate;
using data::VariantAxes;
using table::Cell;

bool is_peer(const VariantAxes& axes) {
  return record::origin_of(axes.variant().named) == record::Origin::nvcc;
}

bool is_one_to_one(const VariantAxes& axes, const std::string& payload_bytes) {
  return axes.value("probe") == "ring" && axes.value("payload_bytes") == payload_bytes &&
         axes.value("work") == "none" && axes.value("producers") == "1" &&
         axes.value("consumers") == "1" && axes.value("granularity") == "warp" &&
         axes.value("ctas_per_sm") == "1";
}

int items_of_phase(const VariantAxes& axes) {
  return std::max(1, axes.number("items_a_phase", 1));
}

data::Figure an_item(const Aggregate& point) {
  return data::share_of(data::figure_of(point), items_of_phase(point.axes));
}

std::string choice_of(const VariantAxes& axes, const std::set<std::string>& columns) {
  static const std::set<std::string> alike = {
      "num_stages",    "probe", "protocol", "mover", "work", "payload_bytes",
      "items_a_phase", "file",  "library",  "nvcc",  "flags"};
  static const std::map<std::string, std::string> ordinary = {
      {"producers", "1"}, {"consumers", "1"}, {"roles", "specialized"}};
  std::vector<std::string> words = {axes.value("num_stages") + " stages"};
  for (const auto& [axis, value] : axes.variant().named) {
    const auto plain = ordinary.find(axis);
    const bool said = plain != ordinary.end() && plain->second == value;
    if (!said && !alike.contains(axis) && !columns.contains(axis))
      words.push_back(fmt::format("{}={}", axis, value));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string built_by(const VariantAxes& axes) {
  if (axes.names("llvm")) return "LLVM " + axes.value("llvm");
  if (!is_peer(axes)) return "phasebit";
  std::string flags = axes.value("flags");
  std::replace(flags.begin(), flags.end(), ',', ' ');
  return fmt::format("nvcc {} {}, {}", axes.value("nvcc"), flags, axes.value("library"));
}

Cell ratio_cell(const Aggregate* ours, const Aggregate* theirs) {
  if (ours == nullptr || theirs == nullptr) return "-";
  const double own = an_item(*ours).value, other = an_item(*theirs).value;
  if (other <= 0) return "-";
  return {fmt::format("{:.2f}", own / other), own / other, std::nullopt};
}

bool is_faster(const Aggregate& a, const Aggregate& b) {
  return an_item(a).value < an_item(b).value;
}

}  // namespace phasebit::report::tables::peers
