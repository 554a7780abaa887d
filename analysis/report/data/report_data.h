// What tables and figures are made from: the results of one GPU.
#pragma once

#include "analysis/report/data/aggregate.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace phasebit::report::data {

// Results of one GPU.
struct ReportData {
  record::Results results;
  // What the same files hold of other GPUs, as it was read: for tables that compare GPUs, which
  // call report_data() for each.
  record::Results others;
  VariantKeys keys;
  Aggregation aggregation;
};

// `device` is a UUID or a part of a name; it may be empty when the results are of one GPU.
// Step::usage names the devices there are.
Result<ReportData> report_data(record::Results results, const std::string& device = {});
// The same without `others`: it copies that device's points alone.
Result<ReportData> report_data_alone(const record::Results& results, const std::string& device);

// All points of every run in which a variant is `meant`, aggregated anew: a figure of another day
// is no neighbour.
Aggregation of_runs_with(const ReportData& data,
                         const std::function<bool(const VariantAxes&)>& meant);

using TableArguments = std::vector<std::pair<std::string, std::string>>;

}  // namespace phasebit::report::data
