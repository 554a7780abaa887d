// One text by many versions of ptxas: what each made of it costs, and where the figure moved.
#pragma once

#include "analysis/report/data/comparison.h"
#include "analysis/report/data/report_data.h"

#include <string>
#include <vector>

namespace phasebit::report::data {

struct VersionFigure {
  std::string ptxas;  // "12.4.131"
  std::string id;     // of the variant that names it
  Figure figure;
  std::string text_hash;        // of the code measured; "" without a figure
  std::string sass_class = {};  // the same
};

struct TextHistory {
  std::string text_id;                  // the variant's without its ptxas
  VariantAxes axes;                     // of that
  std::vector<VersionFigure> versions;  // oldest first
};

struct History {
  std::vector<TextHistory> texts;
  Aggregation aggregation;  // of the runs that measured several versions
};

// Every variant that was measured by two versions or more, in the order of the ids. A variant that
// names no ptxas counts for the version of the run that measured it. Only runs that measured
// several versions count: figures of two days are not a history.
History history_of(const ReportData& data);

// Two neighbouring versions whose figures differ by more than the floor; a version without a figure
// is passed over.
struct VersionStep {
  const TextHistory* text = nullptr;
  const VersionFigure *from = nullptr, *to = nullptr;
  Comparison comparison;
};
// Of them those of `least_percent` of the figure before, or more.
std::vector<VersionStep> find_steps(const History& history, double least_percent = 0);

}  // namespace phasebit::report::data
