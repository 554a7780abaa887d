#include "analysis/report/data/history.h"

#include "core/isa/version.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace phasebit::report::data {

using results::PointRow;

namespace {

constexpr const char* ptxas_axis = "ptxas";

// The default version of each run that measured several.
std::map<std::string, std::string> runs_of_several(const ReportData& data) {
  std::set<std::string> several;
  for (const PointRow* point : data.rows)
    if (data.keys.of(point->variant_id).names(ptxas_axis)) several.insert(point->run_id);
  std::map<std::string, std::string> versions;
  for (const results::RunRow& run : data.runs)
    if (several.contains(run.id)) versions[run.id] = run.ptxas;
  return versions;
}

}  // namespace

History history_of(const ReportData& data) {
  const std::map<std::string, std::string> runs = runs_of_several(data);
  std::map<std::string, std::map<std::string, std::string>> ids;  // text, ptxas -> id
  std::map<std::string, VariantAxes> axes;                        // of a text
  results::Rows points;
  for (const PointRow* point : data.rows) {
    const auto run = runs.find(point->run_id);
    if (run == runs.end() || point->kind != results::PointKind::point) continue;
    points.push_back(point);
    const VariantAxes own = data.keys.of(point->variant_id);
    const bool named = own.names(ptxas_axis);
    const results::VariantRow text = own.variant().without(ptxas_axis);
    ids[text.id][named ? own.value(ptxas_axis) : run->second] = point->variant_id;
    axes.try_emplace(text.id, std::make_shared<const results::VariantRow>(text),
                     data.keys.catalogue());
  }
  History made{{}, aggregate(points, data.keys)};
  for (const auto& [text, versions] : ids) {
    if (versions.size() < 2) continue;
    TextHistory history{text, axes.at(text), {}};
    for (const auto& [ptxas, id] : versions) {
      const Aggregate* found = find_variant(made.aggregation.points, id);
      const bool measured = found != nullptr && found->reason.empty();
      history.versions.push_back({ptxas, id, figure_of(found, id),
                                  measured ? found->text_hash : std::string(),
                                  measured ? found->sass_class : std::string()});
    }
    std::sort(history.versions.begin(), history.versions.end(),
              [](const auto& a, const auto& b) { return isa::older_version(a.ptxas, b.ptxas); });
    made.texts.push_back(std::move(history));
  }
  return made;
}

std::vector<VersionStep> find_steps(const History& history, double least_percent) {
  std::vector<VersionStep> steps;
  for (const TextHistory& text : history.texts) {
    const VersionFigure* before = nullptr;
    for (const VersionFigure& version : text.versions) {
      if (!version.figure.reason.empty()) continue;
      if (before != nullptr) {
        VersionStep step{&text, before, &version,
                         compare(history.aggregation, before->id, version.id)};
        const double least = least_percent / 100 * before->figure.value;
        if (step.comparison.is_step() && std::abs(step.comparison.difference.value) >= least)
          steps.push_back(std::move(step));
      }
      before = &version;
    }
  }
  return steps;
}

}  // namespace phasebit::report::data
