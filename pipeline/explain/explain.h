// Two figures of the store, and the difference of the code behind them.
#pragma once

#include "analysis/report/data/comparison.h"
#include "core/table/table.h"
#include "pipeline/images/tools.h"
#include "pipeline/select/space.h"

#include <string>
#include <vector>

namespace phasebit::pipeline::explain {

struct ExplainRequest {
  select::SpaceRequest space;
  images::ToolOptions tools;
  std::string first, second;            // variants; second empty: the first
  std::vector<std::string> toolchains;  // versions of ptxas: none, one, or one for each side
  bool steps = false;                   // instead: every step of the histories
  double least_percent = 0;             // steps of so much or more
  std::vector<std::string> results;     // empty: the published histories
  std::string target;                   // "": that of the results
  std::string device;
};

// As the row of a figure names its code; empty without one.
struct MeasuredCode {
  std::string text_hash, sass_class;
};

struct ExplainedPair {
  std::string before, after;  // ids
  report::data::Comparison comparison;
  MeasuredCode measured_before, measured_after;
  std::vector<std::string> reasons;  // what goes with it, a line each
};

// One pair, or with `steps` every one whose figures differ by more than the floor.
Result<std::vector<ExplainedPair>> explain(const ExplainRequest& request);

table::Table explained_table(const std::vector<ExplainedPair>& pairs);
std::string explained_text(const ExplainedPair& pair);

}  // namespace phasebit::pipeline::explain
