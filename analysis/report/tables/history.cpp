#include "analysis/report/tables/history.h"

#include "analysis/report/data/axes.h"
#include "analysis/report/tables/beside.h"
#include "core/isa/version.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace phasebit::report::tables {

using data::ReportData;
using data::TableArguments;
using record::PointRow;
using table::Cell;
using table::Table;

namespace {

constexpr const char* ptxas_axis = "ptxas";
constexpr const char* least_argument = "least";

// The default version of each run that measured several.
std::map<std::string, std::string> runs_of_several(const ReportData& data) {
  std::set<std::string> several;
  for (const PointRow& point : data.results.points)
    if (data.keys.of(point.variant_id).names(ptxas_axis)) several.insert(point.run_id);
  std::map<std::string, std::string> versions;
  for (const record::RunRow& run : data.results.runs)
    if (several.contains(run.id)) versions[run.id] = run.ptxas;
  return versions;
}

bool is_wanted(const TextHistory& text, const TableArguments& arguments) {
  for (const auto& [name, value] : arguments) {
    if (name == "variant" && value != text.text_id) return false;
    if (name != "variant" && name != least_argument && text.axes.value(name) != value) return false;
  }
  return true;
}

Result<History> wanted(const ReportData& data, const TableArguments& arguments) {
  History history = history_of(data);
  std::vector<TextHistory> kept;
  for (TextHistory& text : history.texts)
    if (is_wanted(text, arguments)) kept.push_back(std::move(text));
  history.texts = std::move(kept);
  if (history.texts.empty())
    return with_hint(fail(Step::usage, "no such text was measured by several versions of ptxas"),
                     "phasebit pack --toolchain all, then phasebit-bench");
  return history;
}

}  // namespace

History history_of(const ReportData& data) {
  const std::map<std::string, std::string> runs = runs_of_several(data);
  std::map<std::string, std::map<std::string, std::string>> ids;  // text, ptxas -> id
  std::map<std::string, data::VariantAxes> axes;                  // of a text
  std::vector<PointRow> points;
  for (const PointRow& point : data.results.points) {
    const auto run = runs.find(point.run_id);
    if (run == runs.end() || point.kind != record::PointKind::point) continue;
    points.push_back(point);
    const data::VariantAxes own = data.keys.of(point.variant_id);
    const bool named = own.names(ptxas_axis);
    const record::VariantRow text = own.variant().without(ptxas_axis);
    ids[text.id][named ? own.value(ptxas_axis) : run->second] = point.variant_id;
    axes.try_emplace(text.id, std::make_shared<const record::VariantRow>(text),
                     data.keys.catalogue());
  }
  History made{{}, data::aggregate(points, data.keys)};
  for (const auto& [text, versions] : ids) {
    if (versions.size() < 2) continue;
    TextHistory history{text, axes.at(text), {}};
    for (const auto& [ptxas, id] : versions) {
      const data::Aggregate* found = data::find_variant(made.aggregation.points, id);
      const bool measured = found != nullptr && found->reason.empty();
      history.versions.push_back({ptxas, id, data::figure_of(found, id),
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
                         data::compare(history.aggregation, before->id, version.id)};
        const double least = least_percent / 100 * before->figure.value;
        if (step.comparison.is_step() && std::abs(step.comparison.difference.value) >= least)
          steps.push_back(std::move(step));
      }
      before = &version;
    }
  }
  return steps;
}

Result<Table> history_table(const ReportData& data, const TableArguments& arguments) {
  PHASEBIT_TRY_ASSIGN(history, wanted(data, arguments));
  std::vector<std::string> versions;
  for (const TextHistory& text : history.texts)
    for (const VersionFigure& one : text.versions)
      if (std::find(versions.begin(), versions.end(), one.ptxas) == versions.end())
        versions.push_back(one.ptxas);
  std::sort(versions.begin(), versions.end(), isa::older_version);
  Table table;
  table.columns = {{"variant", false}};
  for (const std::string& version : versions) table.columns.push_back({version, true});
  for (const TextHistory& text : history.texts) {
    std::vector<Cell> row = {text.text_id};
    for (const std::string& version : versions) {
      const auto found = std::find_if(text.versions.begin(), text.versions.end(),
                                      [&](const auto& one) { return one.ptxas == version; });
      row.push_back(found == text.versions.end() ? Cell()
                                                 : data::figure_cell(found->figure, table.notes));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Result<Table> steps_table(const ReportData& data, const TableArguments& arguments) {
  PHASEBIT_TRY_ASSIGN(history, wanted(data, arguments));
  Table table;
  table.columns = {{"variant", false},    {"from ptxas", false}, {"to ptxas", false},
                   {"before", true},      {"after", true},       {"difference", true},
                   {"change", true},      {"A/A floor", true},   {"class before", false},
                   {"class after", false}};
  constexpr size_t digits = 6;
  PHASEBIT_TRY_ASSIGN(least, least_percent(arguments));
  for (const VersionStep& step : find_steps(history, least)) {
    std::vector<Cell> row = {step.text->text_id, step.from->ptxas, step.to->ptxas};
    data::add_comparison(row, step.comparison, table.notes);
    for (const auto* side : {step.from, step.to})
      row.emplace_back(side->text_hash.substr(0, digits));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace phasebit::report::tables
