// What tables and figures are made from: the results of one GPU.
#pragma once

#include "analysis/report/data/aggregate.h"
#include "core/results/record.h"

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace phasebit::report::data {

// Results of one GPU.
struct ReportData {
  std::vector<results::DeviceRow> devices;
  std::vector<results::RunRow> runs;
  results::Rows rows;  // none where figures alone were read
  VariantKeys keys;
  Aggregation aggregation;
  std::shared_ptr<const results::Results> kept;  // what the rows are of, where nothing else has it
};

// The GPU of that UUID, or those of one name: several of a model are one device to tables, each row
// naming its own. Step::usage names the devices there are.
Result<std::set<std::string>> device_uuids(const std::vector<results::DeviceRow>& devices,
                                           const std::string& device);

// `device` is a UUID or a part of a name; it may be empty when the results are of one GPU.
// Step::usage names the devices there are.
Result<ReportData> report_data(results::Results results, const std::string& device = {});
// The same of results that are kept, whose keys these are: it copies that device's points alone,
// and no variants.
Result<ReportData> report_data_of(const results::Results& results, const VariantKeys& keys,
                                  const std::string& device);

// All points of every run in which a variant is `meant`, aggregated anew: a figure of another day
// is not a neighbour.
Aggregation of_runs_with(const ReportData& data,
                         const std::function<bool(const VariantAxes&)>& meant);

using TableArguments = std::vector<std::pair<std::string, std::string>>;

// What a pass over processes and places found in each variant.

// Of the newest text of a variant.
struct ModeRow {
  std::string id;
  std::size_t places = 0, processes = 0;
  std::size_t modes = 0;  // 0: nothing was measured
  std::string cycles{};   // "41.00 in 40, 49.00 in 8"
  std::optional<double> lowest{}, highest{};
  std::string separators{};  // "SM (0 | 66)"; "no factor alone"
  int failed = 0;            // places
  std::string reason{};      // of the last of them
  std::string sms{};         // on which the GPU placed its cluster
};
std::vector<ModeRow> mode_rows(const results::Rows& points);

}  // namespace phasebit::report::data
