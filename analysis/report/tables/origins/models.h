// Results of several GPUs, model by model.
#pragma once

#include "analysis/report/data/report_data.h"

#include <memory>
#include <string>
#include <vector>

namespace phasebit::report::tables::origins {

struct Model {
  std::string name;                              // "NVIDIA H200"
  std::shared_ptr<const data::ReportData> data;  // of the first it is the caller's
};

// The GPU of `data`, which must outlive them, then the other models of the same files, by name.
Result<std::vector<Model>> models_of(const data::ReportData& data);

// "H100" of "NVIDIA H100 80GB HBM3": what a column says.
std::string short_name(const Model& model);

}  // namespace phasebit::report::tables::origins
