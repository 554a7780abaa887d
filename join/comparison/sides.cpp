#include "join/comparison/sides.h"

#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/results/load.h"
#include "join/explain/explain.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <fmt/ranges.h>

namespace phasebit::join::comparison {

using report::claims::AxisTest;
using report::claims::RowAxes;
using report::claims::Selection;
using report::data::Aggregate;
using results::PointRow;
using results::Results;
using results::RunRow;

namespace {

constexpr const char *ptxas_axis = "ptxas", *id_axis = "id";

bool is_of_runs(const std::string& axis) {
  return axis != id_axis &&
         std::find(words_of_runs.begin(), words_of_runs.end(), axis) != words_of_runs.end();
}

// "H200" is a part of a device's name, "12.4" all versions that begin so.
AxisTest widened(AxisTest test) {
  std::vector<std::string> any_of;
  for (const std::string& word : test.any_of) {
    any_of.push_back(word);
    if (word.find_first_of("*?<>!") != std::string::npos) continue;
    if (test.axis == "device") any_of.push_back("*" + word + "*");
    if (test.axis == "commit" || test.axis == "run") any_of.push_back(word + "*");
    if (test.axis == ptxas_axis || test.axis == "driver") any_of.push_back(word + ".*");
  }
  test.any_of = std::move(any_of);
  return test;
}

Result<Selection> selection_of(const std::vector<std::string>& words) {
  std::vector<AxisTest> tests;
  for (const std::string& word : words) {
    PHASEBIT_TRY_ASSIGN(test, report::claims::read_test(word));
    const auto known = std::find_if(tests.begin(), tests.end(),
                                    [&](const AxisTest& one) { return one.axis == test.axis; });
    if (known != tests.end())
      return with_hint(fail(Step::usage, "{}: twice", test.axis.text()),
                       fmt::format("{}=ONE|OTHER accepts both", test.axis.text()));
    tests.push_back(widened(std::move(test)));
  }
  return Selection(std::move(tests));
}

// By GPU and run.
using RunFacts = std::map<std::pair<Word, Word>, RowAxes>;

RunFacts facts_of_runs(const Results& results) {
  RunFacts all;
  for (const results::DeviceRow& device : results.devices)
    for (const RunRow& run : results.runs)
      all[{device.uuid, run.id}] = {{"device", device.name},
                                    {"gpu", device.uuid},
                                    {"driver", run.driver.empty() ? device.driver : run.driver},
                                    {"ptxas", run.ptxas},
                                    {"commit", run.commit},
                                    {"run", run.id},
                                    {"sweep", run.sweep},
                                    {"target", run.target}};
  return all;
}

std::set<std::string> values_of(const Results& results, const RunFacts& runs,
                                const std::string& axis) {
  std::set<std::string> values;
  if (is_of_runs(axis))
    for (const auto& [place, facts] : runs) values.insert(*report::claims::axis_of(facts, axis));
  for (const results::VariantRow& variant : results.variants) {
    if (axis == id_axis) values.insert(variant.id);
    if (const std::string* value = variant.find(axis)) values.insert(*value);
  }
  return values;
}

Status check(const std::string& side, const Selection& selection, const Results& results,
             const RunFacts& runs) {
  for (const AxisTest& test : selection.tests()) {
    const std::set<std::string> values = values_of(results, runs, test.axis);
    if (values.empty()) {
      std::set<std::string> known(words_of_runs.begin(), words_of_runs.end());
      for (const results::VariantRow& variant : results.variants)
        for (const auto& [axis, value] : variant.axes()) known.insert(axis);
      return with_hint(fail(Step::usage, "{}: no row has the axis '{}'", side, test.axis.text()),
                       base::nearest_word_hint(test.axis, {known.begin(), known.end()}));
    }
    if (base::contains(test.any_of, "-") ||
        std::any_of(values.begin(), values.end(),
                    [&](const std::string& value) { return test.holds(value); }))
      continue;
    return with_hint(
        fail(Step::usage, "{}: no row has {}={}", side, test.axis.text(), test.any_of.front()),
        base::nearest_word_hint(test.any_of.front(), {values.begin(), values.end()}));
  }
  return {};
}

// Rows of the selected runs, and rows of others that have measured the code of one of them. The ids
// of the variants that these runs have measured.
std::set<Word> keep_runs(const Selection& selection, const RunFacts& runs, Results& results) {
  std::vector<AxisTest> of_run, with_ptxas;
  for (const AxisTest& test : selection.tests())
    if (is_of_runs(test.axis)) {
      with_ptxas.push_back(test);
      if (test.axis != ptxas_axis) of_run.push_back(test);
    }
  std::map<std::pair<Word, Word>, std::array<bool, 2>> holds;
  for (const auto& [place, facts] : runs)
    holds[place] = {Selection(with_ptxas).matches(facts), Selection(of_run).matches(facts)};
  std::set<Word> names_ptxas, ids, measured, needed, devices;
  for (const results::VariantRow& variant : results.variants)
    if (variant.find(ptxas_axis) != nullptr) names_ptxas.insert(variant.id);
  std::erase_if(results.points,
                [](const PointRow& row) { return row.kind != results::PointKind::point; });
  const auto is_kept = [&](const PointRow& row) {
    return holds[{row.device_uuid, row.run_id}][names_ptxas.contains(row.variant_id) ? 1 : 0];
  };
  for (const PointRow& row : results.points) {
    if (!is_kept(row)) continue;
    ids.insert(row.variant_id);
    devices.insert(row.device_uuid);
    (row.same_as.empty() ? measured : needed)
        .insert(row.same_as.empty() ? row.variant_id : row.same_as);
  }
  std::erase_if(results.points, [&](const PointRow& row) {
    return !is_kept(row) &&
           !(needed.contains(row.variant_id) && !measured.contains(row.variant_id) &&
             devices.contains(row.device_uuid));
  });
  std::erase_if(results.devices, [&](const auto& one) { return !devices.contains(one.uuid); });
  return ids;
}

// By what its variant is; its runs were chosen before.
bool is_chosen(const Selection& selection, const Aggregate& one) {
  const results::VariantRow& variant = one.axes.variant();
  return std::all_of(selection.tests().begin(), selection.tests().end(), [&](const AxisTest& test) {
    if (test.axis == id_axis) return test.holds(one.id);
    const std::string* value = variant.find(test.axis);
    if (value != nullptr) return test.holds(*value);
    return is_of_runs(test.axis) || base::contains(test.any_of, "-");
  });
}

void add_facts(Side& side, const RunFacts& runs) {
  std::set<Word> ids;
  for (const Aggregate* one : side.chosen) {
    ids.insert(one->id);
    side.ptxas.insert(ptxas_of(*one));
  }
  std::set<std::pair<Word, Word>> seen;
  for (const PointRow* row : side.data.rows)
    if (ids.contains(row->variant_id)) {
      seen.insert({row->device_uuid, row->run_id});
      for (const std::string_view column : base::split(row->lacks.text(), ','))
        if (!column.empty()) side.lacks.emplace(column);
    }
  for (const auto& place : seen) {
    const auto value = [&](const char* axis) {
      return *report::claims::axis_of(runs.at(place), axis);
    };
    side.gpus.insert(value("gpu"));
    side.drivers.insert(value("driver"));
    side.commits.insert(value("commit"));
    side.targets.insert(value("target"));
  }
}

Status fill(Side& side, Results results) {
  const RunFacts runs = facts_of_runs(results);
  PHASEBIT_TRY(check(side.name, side.selection, results, runs));
  const std::set<Word> ids = keep_runs(side.selection, runs, results);
  std::set<std::string> models;
  for (const results::DeviceRow& device : results.devices) models.insert(device.name);
  if (models.size() > 1)
    return with_hint(fail(Step::usage, "{} is of {} GPU models: {}", side.name, models.size(),
                          fmt::join(models, ", ")),
                     fmt::format("--{} device=NAME selects one", side.name == "A" ? "a" : "b"));
  const auto nothing = [&] {
    return fail(Step::usage, "{}: {} has no such point", side.name, side.from);
  };
  if (models.empty()) return nothing();
  PHASEBIT_TRY_ASSIGN(data,
                      report::data::report_data(results::sorted_by_run(std::move(results)), ""));
  side.data = std::move(data);
  const std::vector<Aggregate>& points = side.data.aggregation.points;
  for (std::size_t n = 0; n < points.size(); ++n)
    if ((n + 1 == points.size() || points[n + 1].id != points[n].id) &&
        ids.contains(points[n].id) && is_chosen(side.selection, points[n]))
      side.chosen.push_back(&points[n]);
  if (side.chosen.empty()) return nothing();
  add_facts(side, runs);
  return {};
}

}  // namespace

Result<Sides> open_sides(const SideRequest& request) {
  std::vector<std::vector<fs::path>> files;
  for (const std::string& file : request.results) files.push_back({file});
  if (files.empty()) files.push_back(explain::published_results(request.home));
  if (files.front().empty()) return explain::nothing_published(request.home, "results are");
  const bool one = files.size() == 1;
  if (one && request.a == request.b)
    return with_hint(fail(Step::usage, "A and B are the same results"),
                     "name two, or a part of them for each: --a device=H100 --b device=H200");
  Sides sides;
  for (std::size_t n = 0; n < sides.size(); ++n) {
    const std::vector<std::string>& words = n == 0 ? request.a : request.b;
    PHASEBIT_TRY_ASSIGN(selection, selection_of(words));
    sides[n].name = n == 0 ? "A" : "B";
    sides[n].selection = std::move(selection);
    sides[n].from =
        request.results.empty() ? "the published results" : request.results[one ? 0 : n];
    if (!words.empty()) sides[n].from += fmt::format(" ({})", fmt::join(words, ", "));
  }
  std::vector<Result<Results>> loaded(files.size(), Results());
  base::parallel_for(files.size(), 0, [&](std::size_t n) {
    loaded[n] = results::load_results(files[n], results::no_samples);
  });
  for (const Result<Results>& file : loaded)
    if (!file) return tl::unexpected<Error>(file.error());
  if (one) loaded.push_back(loaded.front());
  std::vector<Status> filled(sides.size());
  base::parallel_for(sides.size(), 0,
                     [&](std::size_t n) { filled[n] = fill(sides[n], std::move(*loaded[n])); });
  for (const Status& status : filled) PHASEBIT_TRY(status);
  return sides;
}

std::string ptxas_of(const Aggregate& one) {
  const std::string named = one.axes.value(ptxas_axis);
  return named.empty() ? one.run_ptxas : named;
}

std::set<std::string> set_apart(const Sides& sides) {
  std::set<std::string> axes;
  for (const AxisTest& test : sides[0].selection.tests())
    if (sides[1].selection.names(test.axis) &&
        sides[1].selection.tests_of(test.axis) != test.any_of)
      axes.insert(test.axis);
  return axes;
}

}  // namespace phasebit::join::comparison
