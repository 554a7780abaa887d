#include "analysis/report/data/report_data.h"

#include "analysis/report/data/without_loop.h"
#include "core/results/modes.h"
#include "core/results/same_code.h"
#include "core/results/statistics.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include <fmt/ranges.h>

namespace phasebit::report::data {

using results::DeviceRow;
using results::PointRow;
using results::Results;

Result<std::set<std::string>> device_uuids(const std::vector<DeviceRow>& devices,
                                           const std::string& device) {
  std::set<std::string> found, names;
  std::vector<std::string> all;
  for (const DeviceRow& row : devices) {
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

namespace {

// A variant that several GPUs of the model measured has the rows of the one that measured the most:
// two GPUs are no repetition of each other. Rows that another row points to stay, for its sake
// alone: those.
std::set<results::VariantOnGpu> keep_one_gpu_each(results::Rows& points) {
  std::unordered_map<Word, size_t> measured;
  std::map<std::pair<results::PointKind, Word>, Word> chosen;
  for (const results::PointRow* point : points) ++measured[point->device_uuid];
  const std::set<results::VariantOnGpu> pointed_to = results::measured_for(points);
  for (const results::PointRow* point : points) {
    Word& best = chosen[{point->kind, point->variant_id}];
    if (best.empty() || measured[best] < measured[point->device_uuid]) best = point->device_uuid;
  }
  std::set<results::VariantOnGpu> spare;
  std::erase_if(points, [&](const results::PointRow* point) {
    if (chosen[{point->kind, point->variant_id}] == point->device_uuid) return false;
    const results::VariantOnGpu name{point->device_uuid, point->variant_id};
    if (!pointed_to.contains(name)) return true;
    if (point->kind == results::PointKind::point) spare.insert(name);
    return false;
  });
  return spare;
}

// By which ptxas the last run of each variant was, and on which SMs its clusters ran.
void add_runs(const std::vector<results::RunRow>& runs, const results::Rows& points,
              std::vector<Aggregate>& aggregates) {
  struct Seen {
    const std::string* ptxas = nullptr;
    std::set<std::vector<int>> sms;
  };
  std::unordered_map<Word, const std::string*> versions;
  for (const results::RunRow& run : runs) versions[run.id] = &run.ptxas;
  std::unordered_map<Word, Seen> seen;
  for (const results::PointRow* point : points) {
    Seen& one = seen[point->variant_id];
    one.ptxas = versions[point->run_id];
    if (!point->sms.empty() && point->kind == results::PointKind::point) one.sms.insert(point->sms);
  }
  for (Aggregate& one : aggregates) {
    const Seen& of = seen[one.id];
    if (of.ptxas != nullptr) one.run_ptxas = *of.ptxas;
    if (of.sms.size() == 1) one.ran_on = fmt::format("{}", fmt::join(*of.sms.begin(), ","));
    if (of.sms.size() > 1) one.ran_on = "several";
  }
}

// What tables read of rows that are all of these GPUs.
ReportData of_gpus(const Results& results, VariantKeys keys, results::Rows rows,
                   const std::set<std::string>& uuids) {
  ReportData data;
  data.keys = std::move(keys);
  data.rows = std::move(rows);
  std::set<results::VariantOnGpu> spare;
  if (uuids.size() > 1) spare = keep_one_gpu_each(data.rows);
  std::unordered_set<Word> runs;
  for (const results::PointRow* point : data.rows) runs.insert(point->run_id);
  for (const DeviceRow& row : results.devices)
    if (uuids.contains(row.uuid)) data.devices.push_back(row);
  for (const results::RunRow& run : results.runs)
    if (runs.contains(run.id)) data.runs.push_back(run);
  data.aggregation = aggregate(data.rows, data.keys);
  for (auto* list : {&data.aggregation.points, &data.aggregation.together}) {
    std::erase_if(*list, [&](const Aggregate& point) {
      return spare.contains({point.device_uuid, point.id});
    });
    add_runs(data.runs, data.rows, *list);
  }
  data.aggregation.without_loop = without_loop(data.aggregation.points);
  return data;
}

}  // namespace

Result<ReportData> report_data_of(const Results& results, const VariantKeys& keys,
                                  const std::string& device) {
  PHASEBIT_TRY_ASSIGN(uuids, device_uuids(results.devices, device));
  results::Rows rows;
  for (const results::PointRow& point : results.points)
    if (uuids.contains(point.device_uuid)) rows.push_back(&point);
  return of_gpus(results, keys, std::move(rows), uuids);
}

Result<ReportData> report_data(Results results, const std::string& device) {
  const auto kept = std::make_shared<const Results>(std::move(results));
  PHASEBIT_TRY_ASSIGN(data, report_data_of(*kept, VariantKeys(*kept), device));
  data.kept = kept;
  return data;
}

Aggregation of_runs_with(const ReportData& data,
                         const std::function<bool(const VariantAxes&)>& meant) {
  std::unordered_set<Word> runs;
  for (const results::PointRow* point : data.rows)
    if (meant(data.keys.of(point->variant_id))) runs.insert(point->run_id);
  if (runs.empty()) return {};
  results::Rows points;
  for (const results::PointRow* point : data.rows)
    if (runs.contains(point->run_id)) points.push_back(point);
  Aggregation made = aggregate(points, data.keys);
  for (auto* list : {&made.points, &made.together}) add_runs(data.runs, points, *list);
  made.without_loop = without_loop(made.points);
  return made;
}

namespace {

struct Seen {
  std::string text_hash;
  std::vector<results::ModeObservation> observations;
  std::map<std::pair<std::string, int>, int> processes;  // run and repetition -> number
  std::set<int> sms;                                     // of a cluster
  int failed = 0;
  std::string reason;  // of the last that failed
};

void add(Seen& seen, const PointRow& row) {
  if (seen.text_hash != row.text_hash) seen = {row.text_hash, {}, {}, {}, 0, {}};
  const auto summary = results::summary_of(row);
  if (row.error || !summary) {
    ++seen.failed;
    seen.reason = row.error
                      ? fmt::format("{}: {}", base::to_string(row.error->step), row.error->message)
                      : summary.error().message;
    return;
  }
  // A process of another run is another process, whatever its number.
  const int number = static_cast<int>(seen.processes.size());
  const int process =
      seen.processes.try_emplace({row.run_id, row.repetition}, number).first->second;
  seen.sms.insert(row.sms.begin(), row.sms.end());
  seen.observations.push_back({process, row.conditions, summary->cycles});
}

ModeRow row_of(const std::string& id, const Seen& seen) {
  const results::ModeReport report = results::separate_modes(seen.observations);
  ModeRow row{id};
  row.failed = seen.failed;
  row.reason = seen.reason;
  row.sms = fmt::format("{}", fmt::join(seen.sms, ", "));
  if (report.modes.empty()) return row;
  std::vector<std::string> shares;
  for (const results::ModeReport::Mode& mode : report.modes)
    shares.push_back(fmt::format("{:.2f} in {}", mode.cycles, mode.places));
  row.places = report.places;
  row.processes = seen.processes.size();
  row.modes = report.modes.size();
  row.cycles = fmt::format("{}", fmt::join(shares, ", "));
  row.lowest = report.lowest;
  row.highest = report.highest;
  row.separators = fmt::format("{}", fmt::join(report.separators, " and "));
  if (row.modes > 1 && row.separators.empty()) row.separators = "no factor alone";
  return row;
}

}  // namespace

std::vector<ModeRow> mode_rows(const results::Rows& points) {
  std::map<std::string, Seen> variants;
  for (const PointRow* row : points)
    if (row->kind == results::PointKind::modes) add(variants[row->variant_id], *row);
  std::vector<ModeRow> rows;
  for (const auto& [id, seen] : variants) rows.push_back(row_of(id, seen));
  return rows;
}

}  // namespace phasebit::report::data
