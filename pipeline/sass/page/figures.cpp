#include "pipeline/sass/page/figures.h"

#include "analysis/report/data/aggregate.h"
#include "analysis/report/data/figures.h"
#include "core/record/same_code.h"
#include "core/store/load.h"
#include "pipeline/explain/measured.h"
#include "pipeline/explain/sides.h"

#include <algorithm>
#include <tuple>
#include <unordered_set>

namespace phasebit::pipeline::sass::page {

using record::PointRow;
using record::RunRow;

namespace {

// Rows of the variants asked for, and of those whose measurement stands for theirs.
void keep_points(record::Results& results, const std::set<std::string>& ids) {
  const std::unordered_set<Word> wanted =
      record::with_measured(results.points, {ids.begin(), ids.end()});
  std::erase_if(results.points, [&](const PointRow& point) {
    return point.kind != record::PointKind::point || !wanted.contains(point.variant_id);
  });
}

listing::PageFigure figure_of(const report::data::Aggregate& one, const std::string& device,
                              const std::string& started, const std::string& target) {
  const double width = one.half_width();
  std::string cycles = report::data::shown(one.cycles, width),
              whole = report::data::shown_with_interval(one.cycles, width);
  const std::size_t sign = whole.find("±");
  return {std::move(cycles),
          sign == std::string::npos ? "" : whole.substr(sign + std::string("±").size()),
          one.unit,
          device,
          started.substr(0, 10),
          target};
}

}  // namespace

// Keys of histories are those of their day, so they are no results of one store with the others.
Result<PublishedFigures> PublishedFigures::load(const base::Home& home,
                                                const std::set<std::string>& ids) {
  PublishedFigures figures;
  std::vector<fs::path> histories;
  for (const std::string& path : explain::published_histories(home)) histories.emplace_back(path);
  for (const std::vector<fs::path>& paths : {explain::published_results(home), histories}) {
    if (paths.empty()) continue;
    PHASEBIT_TRY_ASSIGN(results, store::load_results(paths, store::no_samples));
    keep_points(results, ids);
    figures.add(results, ids);
  }
  return figures;
}

void PublishedFigures::add(const record::Results& results, const std::set<std::string>& ids) {
  std::map<std::string, const RunRow*> runs;
  for (const RunRow& run : results.runs) runs[run.id] = &run;
  std::map<std::string, std::string> devices;
  for (const record::DeviceRow& device : results.devices) devices[device.uuid] = device.name;
  std::map<std::string, std::vector<PointRow>> by_target;
  std::map<std::tuple<std::string, std::string, std::string, std::string>, std::string> started;
  for (const PointRow& point : results.points) {
    const RunRow& run = *runs.at(point.run_id);
    by_target[run.target].push_back(point);
    std::string& newest =
        started[{run.target, point.variant_id, point.device_uuid, point.text_hash}];
    newest = std::max(newest, run.started);
  }
  const report::data::VariantKeys keys(results);
  for (const auto& [target, points] : by_target)
    for (const report::data::Aggregate& one : report::data::aggregate(points, keys).points) {
      if (!one.reason.empty() || !ids.contains(one.id)) continue;
      const std::string& when = started[{target, one.id, one.device_uuid, one.text_hash}];
      by_id_and_target_[{one.id, target}].push_back(
          {when, one.text_hash, one.sass_class,
           figure_of(one, devices[one.device_uuid], when, target)});
    }
}

std::optional<listing::PageFigure> PublishedFigures::find(const std::string& id,
                                                          const std::string& target,
                                                          const compare::DiffSide& side) const {
  const auto all = by_id_and_target_.find({id, target});
  if (all == by_id_and_target_.end()) return std::nullopt;
  const Measured* newest = nullptr;
  for (const Measured& one : all->second)
    if (explain::is_code_of(one.text_hash, one.sass_class, side) &&
        (newest == nullptr || one.started > newest->started))
      newest = &one;
  return newest == nullptr ? std::nullopt : std::optional(newest->figure);
}

}  // namespace phasebit::pipeline::sass::page
