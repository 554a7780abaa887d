#include "analysis/report/data/report_data.h"

#include "analysis/report/data/without_loop.h"
#include "core/record/same_code.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace phasebit::report::data {

using record::DeviceRow;
using record::Results;

namespace {

// Takes the rows of other GPUs out of the results.
Results split_off_others(Results& results, const std::set<std::string>& uuids) {
  Results others;
  const auto first_other = std::stable_partition(
      results.points.begin(), results.points.end(),
      [&](const record::PointRow& point) { return uuids.contains(point.device_uuid); });
  others.points.assign(std::make_move_iterator(first_other),
                       std::make_move_iterator(results.points.end()));
  results.points.erase(first_other, results.points.end());
  for (const DeviceRow& row : results.devices)
    if (!uuids.contains(row.uuid)) others.devices.push_back(row);
  others.runs = results.runs;
  others.variants = results.variants;
  others.catalogue = results.catalogue;
  return others;
}

// The GPU of that UUID, or those of one name: several of a model are one device to tables, each row
// naming its own.
Result<std::set<std::string>> device_uuids(const Results& results, const std::string& device) {
  std::set<std::string> found, names;
  std::vector<std::string> all;
  for (const DeviceRow& row : results.devices) {
    all.push_back(fmt::format("{} ({})", row.name, row.uuid));
    if (row.uuid == device) return std::set<std::string>{row.uuid};
    if (row.name.find(device) == std::string::npos) continue;
    found.insert(row.uuid);
    names.insert(row.name);
  }
  if (names.size() == 1) return found;
  if (all.empty()) return fail(Step::store, "the results hold no device");
  return with_hint(found.empty() ? fail(Step::usage, "the results hold no device '{}'", device)
                                 : fail(Step::usage, "the results are of {} devices", found.size()),
                   fmt::format("device= one of: {}", fmt::join(all, ", ")));
}

// A variant that several GPUs of the model measured has the rows of the one that measured the most:
// two GPUs are no repetition of each other. Rows that another row points to stay, for its sake
// alone: those.
std::set<record::VariantOnGpu> keep_one_gpu_each(std::vector<record::PointRow>& points) {
  std::unordered_map<Word, size_t> measured;
  std::map<std::pair<record::PointKind, Word>, Word> chosen;
  for (const record::PointRow& point : points) ++measured[point.device_uuid];
  const std::set<record::VariantOnGpu> pointed_to = record::measured_for(points);
  for (const record::PointRow& point : points) {
    Word& best = chosen[{point.kind, point.variant_id}];
    if (best.empty() || measured[best] < measured[point.device_uuid]) best = point.device_uuid;
  }
  std::set<record::VariantOnGpu> spare;
  std::erase_if(points, [&](const record::PointRow& point) {
    if (chosen[{point.kind, point.variant_id}] == point.device_uuid) return false;
    const record::VariantOnGpu name{point.device_uuid, point.variant_id};
    if (!pointed_to.contains(name)) return true;
    if (point.kind == record::PointKind::point) spare.insert(name);
    return false;
  });
  return spare;
}

// What tables read of rows that are all of these GPUs.
ReportData of_gpus(Results results, const std::set<std::string>& uuids) {
  ReportData data;
  std::unordered_set<Word> runs;
  std::set<record::VariantOnGpu> spare;
  if (uuids.size() > 1) spare = keep_one_gpu_each(results.points);
  data.results.points = std::move(results.points);
  for (const record::PointRow& point : data.results.points) runs.insert(point.run_id);
  for (const DeviceRow& row : results.devices)
    if (uuids.contains(row.uuid)) data.results.devices.push_back(row);
  for (const record::RunRow& run : results.runs)
    if (runs.contains(run.id)) data.results.runs.push_back(run);
  data.results.variants = std::move(results.variants);
  data.results.catalogue = std::move(results.catalogue);
  data.keys = VariantKeys(data.results);
  data.aggregation = aggregate(data.results.points, data.keys);
  std::erase_if(data.aggregation.points, [&](const Aggregate& point) {
    return spare.contains({point.device_uuid, point.id});
  });
  data.aggregation.alone = without_loop(data.aggregation.points);
  return data;
}

}  // namespace

Result<ReportData> report_data(Results results, const std::string& device) {
  PHASEBIT_TRY_ASSIGN(uuids, device_uuids(results, device));
  Results others;
  if (results.devices.size() > 1) others = split_off_others(results, uuids);
  ReportData data = of_gpus(std::move(results), uuids);
  data.others = std::move(others);
  return data;
}

Result<ReportData> report_data_alone(const Results& results, const std::string& device) {
  PHASEBIT_TRY_ASSIGN(uuids, device_uuids(results, device));
  Results own;
  own.devices = results.devices;
  own.runs = results.runs;
  own.variants = results.variants;
  own.catalogue = results.catalogue;
  std::copy_if(results.points.begin(), results.points.end(), std::back_inserter(own.points),
               [&](const record::PointRow& point) { return uuids.contains(point.device_uuid); });
  return of_gpus(std::move(own), uuids);
}

Aggregation of_runs_with(const ReportData& data,
                         const std::function<bool(const VariantAxes&)>& meant) {
  std::unordered_set<Word> runs;
  for (const record::PointRow& point : data.results.points)
    if (meant(data.keys.of(point.variant_id))) runs.insert(point.run_id);
  std::vector<record::PointRow> points;
  for (const record::PointRow& point : data.results.points)
    if (runs.contains(point.run_id)) points.push_back(point);
  return aggregate(points, data.keys);
}

}  // namespace phasebit::report::data
