#include "analysis/report/tables.h"
#include "core/base/text.h"
#include "core/isa/targets.h"
#include "core/results/load.h"
#include "gen/kernel/tuned.h"
#include "gen/ptxas/toolchain.h"
#include "join/explain/explain.h"
#include "join/lists/lists.h"

#include <algorithm>
#include <map>

namespace phasebit::join::lists {

using base::Cell;
using base::Table;
using results::DeviceRow;

namespace {

Result<Table> list_tables(const ListRequest& request) {
  PHASEBIT_TRY_ASSIGN(tables, report::report_tables(explain::tables_folder(request.home)));
  Table table;
  table.columns = {{"table", false}, {"--argument", false}, {"what it shows", false}};
  for (const report::ReportTable& one : tables)
    table.rows.push_back({one.name, one.arguments, one.doc});
  return table;
}

// Where each GPU was met: the results of a device and how many variants have a figure there.
Result<Table> list_devices(const ListRequest& request) {
  std::vector<fs::path> files = explain::published_results(request.home);
  for (const std::string& file : explain::published_histories(request.home))
    files.emplace_back(file);
  files.insert(files.end(), request.results.begin(), request.results.end());
  if (files.empty()) return explain::nothing_published(request.home, "results are");
  std::map<std::string, size_t> points;
  std::vector<DeviceRow> devices;
  // File by file: an older one may know a variant by fewer axes, which is nothing to a GPU.
  for (const fs::path& file : files) {
    PHASEBIT_TRY_ASSIGN(results, results::load_results({file}, results::no_samples));
    for (const results::PointRow& point : results.points) ++points[point.device_uuid];
    for (const DeviceRow& row : results.devices)
      if (std::none_of(devices.begin(), devices.end(),
                       [&](const DeviceRow& known) { return known.uuid == row.uuid; }))
        devices.push_back(row);
  }
  Table table;
  table.columns = {{"device", false}, {"UUID", false},   {"target", false},
                   {"SMs", true},     {"driver", false}, {"rows", true}};
  for (const DeviceRow& device : devices)
    table.rows.push_back(
        {device.name,
         device.uuid,
         device.target,
         {std::to_string(device.multiprocessors), static_cast<double>(device.multiprocessors), {}},
         device.driver,
         {std::to_string(points[device.uuid]), static_cast<double>(points[device.uuid]), {}}});
  return table;
}

Result<Table> list_toolchains(const ListRequest& request) {
  const std::vector<ptxas::InstalledToolchain> installed =
      ptxas::installed_toolchains(request.home);
  if (installed.empty())
    return with_hint(fail(Step::toolchain, "no toolchain is installed"), "run tools/toolchain");
  Table table;
  table.columns = {{"ptxas", false}, {"", false}, {"folder", false}};
  for (const ptxas::InstalledToolchain& one : installed)
    table.rows.push_back({one.version.text(), one.choice().empty() ? "the default" : "",
                          kernel::shown_path(request.home, one.folder)});
  return table;
}

Cell limit(int value) {
  return value == 0 ? Cell() : Cell(value);
}

// Those that the ptxas in hand knows.
Result<Table> list_targets(const ListRequest& request) {
  PHASEBIT_TRY_ASSIGN(toolchain, ptxas::find_toolchain({request.home, {}, {}}));
  PHASEBIT_TRY_ASSIGN(known, isa::TargetTable::load());
  Table table;
  table.columns = {{"target", false},
                   {"SASS family", false},
                   {"shared bytes a CTA", true},
                   {"shared bytes an SM", true},
                   {"warps an SM", true}};
  for (const std::string& name : toolchain.targets) {
    PHASEBIT_TRY_ASSIGN(target, known.find(name));
    table.rows.push_back({name, target.family, limit(target.max_shared_bytes_per_cta),
                          limit(target.shared_bytes_per_sm), limit(target.max_warps_per_sm)});
  }
  table.notes.push_back(fmt::format("Known to ptxas {}.", toolchain.version.text()));
  return table;
}

struct List {
  const char* name;
  Result<Table> (*make)(const ListRequest&);
  bool templates = false, spec = false, results = false;  // what it takes
};

constexpr List lists[] = {
    {"axes", list_axes, true},
    {"probes", list_probes, true},
    {"protocols", list_protocols, true},
    {"movers", list_movers, true},
    {"works", list_works, true},
    {"sweeps", list_sweeps, true, true},
    {"targets", list_targets},
    {"toolchains", list_toolchains},
    {"devices", list_devices, false, false, true},
    {"tables", list_tables},
};

Status check_request(const List& list, const ListRequest& request) {
  if (!request.templates.empty() && !list.templates)
    return fail(Step::usage, "--templates: {} are not of the templates", list.name);
  if (!request.spec.empty() && !list.spec)
    return fail(Step::usage, "--spec: {} are not of a spec", list.name);
  if (!request.results.empty() && !list.results)
    return fail(Step::usage, "{}: {} are not of results", request.results.front(), list.name);
  return {};
}

}  // namespace

std::vector<std::string> list_names() {
  std::vector<std::string> names;
  for (const List& list : lists) names.emplace_back(list.name);
  return names;
}

Result<Table> make_list(const std::string& name, const ListRequest& request) {
  const auto* list = std::find_if(std::begin(lists), std::end(lists),
                                  [&](const List& one) { return name == one.name; });
  if (list == std::end(lists))
    return with_hint(fail(Step::usage, "no list '{}'", name),
                     base::nearest_word_hint(name, list_names()));
  PHASEBIT_TRY(check_request(*list, request));
  return list->make(request);
}

}  // namespace phasebit::join::lists
