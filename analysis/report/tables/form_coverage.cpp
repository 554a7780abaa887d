// Coverage of the forms by family, from results and forms.csv alone.
#include "analysis/report/tables/form_costs.h"
#include "analysis/report/tables/forms.h"
#include "core/base/nearest.h"

#include <algorithm>
#include <set>

namespace phasebit::report::tables {
namespace {

struct FormTally {
  int forms = 0, taken = 0, taken_here = 0, isolated = 0, loaded = 0, refused = 0;
  void add(const FormTally& other) {
    forms += other.forms;
    taken += other.taken;
    taken_here += other.taken_here;
    isolated += other.isolated;
    loaded += other.loaded;
    refused += other.refused;
  }
};

struct Measured {
  std::set<std::string> isolated, loaded, refused;
};

Measured measured(const std::vector<data::Aggregate>& points) {
  Measured out;
  for (const FormCost& cost : form_costs(points)) {
    if (cost.isolated.reason.empty())
      out.isolated.insert(cost.form);
    else
      out.refused.insert(cost.form);
    if (cost.has_loaded && cost.loaded.reason.empty()) out.loaded.insert(cost.form);
  }
  // On one path refused, on another measured: it has a figure.
  for (const std::string& form : out.isolated) out.refused.erase(form);
  return out;
}

table::Cell number(int value) {
  return {value == 0 ? "" : std::to_string(value), static_cast<double>(value), {}};
}

std::vector<table::Cell> row(const std::string& name, const FormTally& tally) {
  return {name,
          number(tally.forms),
          number(tally.taken),
          number(tally.taken_here),
          number(tally.isolated),
          number(tally.loaded),
          number(tally.refused)};
}

Result<std::string> target_of(const data::ReportData& data, const data::TableArguments& arguments,
                              const isa::FormTable& table) {
  std::string target;
  for (const record::RunRow& run : data.results.runs) target = run.target;
  for (const auto& [name, value] : arguments) {
    if (name != "target")
      return with_hint(fail(Step::usage, "this table takes no argument '{}'", name),
                       base::nearest_word_hint(name, {"target"}));
    target = value;
  }
  const auto& known = table.targets();
  if (std::find(known.begin(), known.end(), target) == known.end())
    return with_hint(fail(Step::usage, "core/isa/forms.csv has no target '{}'", target),
                     base::nearest_word_hint(target, known));
  return target;
}

}  // namespace

Result<table::Table> coverage_table(const data::ReportData& data,
                                    const data::TableArguments& arguments) {
  PHASEBIT_TRY_ASSIGN(forms, isa::FormTable::load());
  PHASEBIT_TRY_ASSIGN(target, target_of(data, arguments, forms));
  const Measured found = measured(data.aggregation.points);
  table::Table table;
  table.columns = {{"family", false},      {"forms", true},    {"taken by some target", true},
                   {"by " + target, true}, {"measured", true}, {"measured loaded", true},
                   {"refused", true}};
  FormTally all;
  for (const std::string& family : forms.families()) {
    FormTally tally;
    for (const isa::Form& form : forms.forms()) {
      if (form.family != family) continue;
      ++tally.forms;
      tally.taken += forms.lowest_target(form).empty() ? 0 : 1;
      tally.taken_here += forms.accepts(form, target) ? 1 : 0;
      tally.isolated += static_cast<int>(found.isolated.count(form.id));
      tally.loaded += static_cast<int>(found.loaded.count(form.id));
      tally.refused += static_cast<int>(found.refused.count(form.id));
    }
    table.rows.push_back(row(family, tally));
    all.add(tally);
  }
  table.rows.push_back(row("all", all));
  table.notes.push_back(
      "Forms of core/isa/forms.csv by family. Refused: a point of it failed, at the gate or later, "
      "and none has a figure. `phasebit coverage` says of each form what it lacks.");
  return table;
}

}  // namespace phasebit::report::tables
