#include "analysis/report/tables/devices.h"

#include "analysis/report/data/arguments.h"
#include "analysis/report/tables/probes/barrier_word.h"
#include "core/isa/forms.h"
#include "core/record/statistics.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace phasebit::report::tables {

using data::Aggregate;
using record::DeviceRow;

namespace {

// A figure of both GPUs.
struct Pair {
  const Aggregate *here = nullptr, *there = nullptr;
  double ratio() const { return there->cycles / here->cycles; }
  bool agrees() const {
    constexpr double cycle = 1, percent = 0.01;
    const double apart = std::abs(there->cycles - here->cycles);
    return apart <= std::max(cycle, percent * std::abs(here->cycles));
  }
};

bool names_wide_scope(const std::string& value) {
  return value.find("cluster") != std::string::npos || value == "gpu" || value == "sys";
}

// Of the form's PTX: semantics beyond the CTA, a fence between proxies, an address in memory.
bool has_wide_qualifier(const isa::FormTable& forms, const std::string& id) {
  const isa::Form* form = forms.find(id);
  if (form == nullptr) return false;
  for (const char* qualifier :
       {".release.cluster", ".acquire.cluster", ".acq_rel.cluster", ".sc.cluster", ".gpu", ".gl;",
        ".sys", ".global", "fence.proxy", "barrier.cluster"})
    if (form->text.find(qualifier) != std::string::npos) return true;
  return false;
}

// What orders beyond the CTA goes through caches that the SMs share. Of an operation whose axes
// name no scope, one that spans a cluster has the cluster's.
bool orders_beyond_cta(const data::VariantAxes& axes, const isa::FormTable& forms) {
  if (axes.has("form")) return has_wide_qualifier(forms, axes.value("form"));
  for (const char* axis : {"arrive_semantics", "wait_semantics"}) {
    const std::string value = axes.value(axis);
    if (axes.has(axis) && names_wide_scope(value) && !value.starts_with("relaxed")) return true;
  }
  if (axes.has("fenced") && axes.value("fenced") == "on") return true;
  if (axes.has("scope"))
    return names_wide_scope(axes.value("scope")) &&
           !(axes.has("semantics") && axes.value("semantics") == "implicit");
  return axes.has("cluster_size") && axes.has("semantics") && axes.value("semantics") != "relaxed";
}

using ClassName = std::pair<std::string, std::string>;  // probe/protocol, scope

std::map<ClassName, std::vector<Pair>> classes_of(const data::Aggregation& here,
                                                  const data::Aggregation& there,
                                                  const isa::FormTable& forms) {
  std::map<ClassName, std::vector<Pair>> classes;
  for (const Aggregate& point : here.points) {
    if (point.axes.value("probe") == probes::word_probe) continue;  // words, whatever they took
    const Aggregate* other = data::find_variant(there.points, point.id);
    if (data::find_variant(here.points, point.id) != &point || !point.reason.empty() ||
        other == nullptr || !other->reason.empty() || point.cycles <= 0)
      continue;
    const std::string scope = orders_beyond_cta(point.axes, forms) ? "cluster or GPU" : "CTA";
    classes[{point.axes.stratum(), scope}].push_back({&point, other});
  }
  return classes;
}

table::Cell ratio_cell(double ratio) {
  return {fmt::format("{:.3f}", ratio), ratio, {}};
}

std::vector<table::Cell> row_of(const std::string& other, const std::string& here,
                                const ClassName& name, std::vector<Pair> pairs) {
  const auto agree =
      std::count_if(pairs.begin(), pairs.end(), [](const Pair& pair) { return pair.agrees(); });
  std::sort(pairs.begin(), pairs.end(),
            [](const Pair& a, const Pair& b) { return a.ratio() < b.ratio(); });
  std::vector<double> ratios;
  for (const Pair& pair : pairs) ratios.push_back(pair.ratio());
  const bool high = ratios.back() * ratios.front() >= 1;  // as logarithms
  const Pair& farthest = high ? pairs.back() : pairs.front();
  return {other,
          here,
          name.first,
          name.second,
          pairs.size(),
          agree,
          ratio_cell(ratios.front()),
          ratio_cell(record::median(ratios)),
          ratio_cell(ratios.back()),
          farthest.here->id,
          {fmt::format("{:.1f}", farthest.here->cycles), farthest.here->cycles, {}},
          {fmt::format("{:.1f}", farthest.there->cycles), farthest.there->cycles, {}}};
}

std::string with_uuid(const DeviceRow& device) {
  constexpr std::size_t digits = 12;  // "GPU-0cad35a1"
  return fmt::format("{} {}", device.name, device.uuid.substr(0, digits));
}

// What a row is of: several GPUs of a model are one, but beside one of their own model.
struct Other {
  std::string device, name;  // as report_data takes it; as the table says it
};
std::vector<Other> others_of(const std::vector<DeviceRow>& devices, const std::string& here) {
  std::vector<Other> others;
  for (const DeviceRow& device : devices) {
    const Other one = device.name == here ? Other{device.uuid, with_uuid(device)}
                                          : Other{device.name, device.name};
    const auto known = [&](const Other& other) { return other.device == one.device; };
    if (std::none_of(others.begin(), others.end(), known)) others.push_back(one);
  }
  return others;
}

}  // namespace

bool is_of_all_devices(const std::string& table) {
  return table == "devices" || table == "llvm";
}

Result<table::Table> devices_table(const data::ReportData& data,
                                   const data::TableArguments& arguments) {
  PHASEBIT_TRY(data::no_arguments(arguments));
  PHASEBIT_TRY_ASSIGN(forms, isa::FormTable::load());
  if (data.others.devices.empty() || data.results.devices.empty())
    return with_hint(fail(Step::usage, "the results are of one GPU"),
                     "name results of several: results/*/*.csv.zst");
  const DeviceRow& own = data.results.devices.front();
  const auto is_own = [&](const DeviceRow& device) { return device.name == own.name; };
  const bool same_model =
      std::any_of(data.others.devices.begin(), data.others.devices.end(), is_own);
  const std::string here = same_model ? with_uuid(own) : own.name;
  table::Table table;
  table.columns = {{"GPU", false},    {"beside", false},         {"class", false}, {"scope", false},
                   {"figures", true}, {"agree", true},           {"lowest", true}, {"median", true},
                   {"highest", true}, {"farthest apart", false}, {"here", true},   {"there", true}};
  for (const Other& one : others_of(data.others.devices, own.name)) {
    PHASEBIT_TRY_ASSIGN(other, data::report_data_alone(data.others, one.device));
    for (auto& [name, pairs] : classes_of(data.aggregation, other.aggregation, forms))
      table.rows.push_back(row_of(one.name, here, name, pairs));
  }
  table.notes = {fmt::format(
      "The same variants on another GPU and here ({}). agree: within 1 cycle or 1 %; lowest, "
      "median "
      "and highest: cycles there over cycles here; scope: whether any operation that is timed "
      "orders beyond its CTA or, as a single form, goes to memory.",
      here)};
  return table;
}

}  // namespace phasebit::report::tables
